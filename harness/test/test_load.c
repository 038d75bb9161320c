/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Load: what another program uses is seen, also when it consists of many short ones; what we start
 * ourselves is not.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/measure/load.h"

#define S INT64_C(1000000000)

static void open_pair(struct host_pair *pair)
{
	struct configuration configuration;
	struct reason reason;

	configuration_default(&configuration);
	if (hosts_open(&configuration.board, &configuration.peer, pair, &reason))
		fail_msg("hosts: %s", reason.text);
}

/* Seconds of CPU time of others between two points. */
static double others_s(const struct load *before, const struct load *after)
{
	return after->others_s - before->others_s;
}

/* A process that is not our child, with a shell in it that runs this; it ends within two seconds.
 */
static void run_as_another(const char *script)
{
	pid_t between = fork();

	if (between == 0) {
		if (fork() == 0) {
			execl("/bin/sh", "sh", "-c", script, (char *)NULL);
			_exit(127);
		}
		_exit(0);
	}
	waitpid(between, NULL, 0);
}

static void others_are_seen(void **state)
{
	static const char *const scripts[] = {
		"i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; sleep 1",
		"j=0; while [ $j -lt 10 ]; do (i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); "
		"done); "
		"j=$((j + 1)); done; sleep 1",
	};
	const struct timespec moment = { 0, 20000000 };
	struct load before, after = { 0 };
	struct host_pair pair;

	(void)state;
	open_pair(&pair);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		double others = 0;

		assert_true(load_read(pair.board, &before));
		run_as_another(scripts[i]);
		for (int turn = 0; turn < 500 && others < 0.05; turn++) {
			nanosleep(&moment, NULL);
			assert_true(load_read(pair.board, &after));
			others = others_s(&before, &after);
		}
		if (others < 0.05)
			fail_msg("%s: only %.3f s are seen", scripts[i], others);
		assert_true(after.all_s > before.all_s);
	}
	hosts_close(&pair);
}

/* CPU time that was used for anything at all, since the machine began. */
static double busy_s(void)
{
	unsigned long long t[8];
	FILE *file = fopen("/proc/stat", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1],
				&t[2], &t[3], &t[4], &t[5], &t[6], &t[7]),
			 8);
	fclose(file);
	return (double)(t[0] + t[1] + t[2] + t[5] + t[6]) / (double)sysconf(_SC_CLK_TCK);
}

/*
 * What runs under us is left out: others cannot have used more than all together did, less what we
 * used. That holds on a busy machine too, but for the kernel's ticks, so several attempts are made.
 */
static void ours_are_not(void **state)
{
	struct host_pair pair;
	double least = 1e9;

	(void)state;
	open_pair(&pair);
	for (int attempt = 0; attempt < 10 && least > 0.1; attempt++) {
		const char *const argv[] = { "sh", "-c",
					     "i=0; while [ $i -lt 500000 ]; do i=$((i + 1)); done",
					     NULL };
		struct load before, after;
		struct host_process *process;
		struct reason reason;
		double busy, ours, excess;
		int status;

		busy = -busy_s();
		assert_true(load_read(pair.board, &before));
		assert_int_equal(host_start(pair.board, argv, &process, &reason), 0);
		assert_int_equal(host_wait(process, 60 * S, &status), HOST_WAIT_DONE);
		ours = (double)host_cpu_time_ns(process) * 1e-9;
		host_close_process(process);
		assert_true(load_read(pair.board, &after));
		busy += busy_s();
		assert_true(ours > 0.2);
		excess = others_s(&before, &after) - (busy - ours);
		least = excess < least ? excess : least;
	}
	if (least > 0.1)
		fail_msg("%.3f s of ours are taken for others'", least);
	hosts_close(&pair);
}

static void shares_are_of_all_cpus(void **state)
{
	const struct load before = { 10, 1, 100 };
	const struct load after = { 15, 2, 120 };
	double others, stolen;

	(void)state;
	load_between(&before, &after, &others, &stolen);
	assert_true(others == 25 && stolen == 5);
	load_between(&after, &before, &others, &stolen);
	assert_true(others == 0 && stolen == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_are_seen),
		cmocka_unit_test(ours_are_not),
		cmocka_unit_test(shares_are_of_all_cpus),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
