/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Local hosts: programs are pinned, kept apart, heard, limited in time, ended, and never left
 * behind, not even when this process is killed. What needs namespaces is skipped where they are
 * refused.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/host/host.h"
#include "harness/measure/interrupt.h"

#define S  INT64_C(1000000000)
#define MS INT64_C(1000000)

static void open_pair(struct host_pair *pair)
{
	struct configuration configuration;
	struct reason reason;

	configuration_default(&configuration);
	if (hosts_open(&configuration.board, &configuration.peer, pair, &reason))
		fail_msg("hosts: %s", reason.text);
}

static struct host_process *start(struct host *host, const char *script)
{
	const char *const argv[] = { "sh", "-c", script, NULL };
	struct host_process *process;
	struct reason reason;

	if (host_start(host, argv, &process, &reason))
		fail_msg("%s: %s", script, reason.text);
	return process;
}

/* What a script prints, without the last newline; to be freed. */
static char *output_of(struct host *host, const char *script)
{
	struct host_process *process = start(host, script);
	int status = -1;
	char *text;

	assert_int_equal(host_wait(process, 10 * S, &status), HOST_WAIT_DONE);
	if (status)
		fail_msg("%s: status %#x", script, (unsigned int)status);
	text = host_output_text(process, HOST_STDOUT);
	assert_non_null(text);
	if (*text && text[strlen(text) - 1] == '\n')
		text[strlen(text) - 1] = '\0';
	host_close_process(process);
	return text;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * S + now.tv_nsec;
}

static void programs_are_pinned(void **state)
{
	struct host_pair pair;

	(void)state;
	open_pair(&pair);
	for (int i = 0; i < 2; i++) {
		struct host *host = i ? pair.peer : pair.board;
		char *told =
			output_of(host, "grep Cpus_allowed_list: /proc/self/status | tr -dc 0-9,-");
		char wanted[16];

		snprintf(wanted, sizeof(wanted), "%u", host_cpu(host));
		assert_string_equal(told, wanted);
		free(told);
	}
	hosts_close(&pair);
}

static void output_is_kept_whole(void **state)
{
	struct host_process *process;
	struct host_pair pair;
	int status;
	char *text;

	(void)state;
	open_pair(&pair);
	/* More than any pipe holds, while nobody reads. */
	process =
		start(pair.board, "head -c 300000 /dev/zero | tr '\\0' x; echo wrong >&2; exit 3");
	assert_int_equal(host_wait(process, 10 * S, &status), HOST_WAIT_DONE);
	assert_int_equal(WEXITSTATUS(status), 3);
	text = host_output_text(process, HOST_STDOUT);
	assert_int_equal(strlen(text), 300000);
	free(text);
	text = host_output_text(process, HOST_STDERR);
	assert_string_equal(text, "wrong\n");
	free(text);
	host_close_process(process);
	text = output_of(pair.board, "wc -c"); /* its input is empty, not ours */
	assert_string_equal(text, "0");
	free(text);
	hosts_close(&pair);
}

static void lines_are_waited_for(void **state)
{
	struct host_process *process;
	struct host_pair pair;

	(void)state;
	open_pair(&pair);
	process = start(pair.board,
			"echo not yet; sleep 0.1; printf rea; sleep 0.1; echo dy; sleep 9");
	assert_int_equal(host_wait_line(process, "ready", 5 * S), HOST_WAIT_DONE);
	assert_int_equal(host_wait_line(process, "never", 50 * MS), HOST_WAIT_TIMEOUT);
	host_close_process(process);
	process = start(pair.board, "echo ready or not");
	assert_int_equal(host_wait_line(process, "not", 5 * S), HOST_WAIT_ENDED);
	assert_int_equal(host_wait_line(process, "ready", 5 * S), HOST_WAIT_DONE);
	host_close_process(process);
	hosts_close(&pair);
}

static void time_limits_hold(void **state)
{
	struct host_process *process;
	struct host_pair pair;
	int64_t before_ns;
	int status;

	(void)state;
	open_pair(&pair);
	process = start(pair.board, "trap '' TERM; echo deaf; while :; do sleep 5; done");
	assert_int_equal(host_wait_line(process, "deaf", 5 * S), HOST_WAIT_DONE);
	before_ns = now_ns();
	assert_int_equal(host_wait(process, 100 * MS, &status), HOST_WAIT_TIMEOUT);
	host_end(process); /* that has to be forced */
	assert_in_range(now_ns() - before_ns, 100 * MS, 3 * S);
	assert_int_equal(host_wait(process, 0, &status), HOST_WAIT_DONE);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	host_close_process(process);
	hosts_close(&pair);
}

static void programs_are_asked_to_end_first(void **state)
{
	struct host_process *process;
	struct host_pair pair;
	char *text;

	(void)state;
	open_pair(&pair);
	process = start(pair.board, "trap 'echo bye; exit' TERM; echo ready; sleep 9 & wait");
	assert_int_equal(host_wait_line(process, "ready", 5 * S), HOST_WAIT_DONE);
	host_end(process);
	text = host_output_text(process, HOST_STDOUT);
	assert_string_equal(text, "ready\nbye\n");
	free(text);
	host_close_process(process);
	hosts_close(&pair);
}

static void cpu_time_is_that_of_the_process(void **state)
{
	struct host_process *process;
	int64_t idle_ns, busy_ns;
	struct host_pair pair;
	int status;

	(void)state;
	open_pair(&pair);
	process = start(pair.board, "echo ready; read never; i=0; while [ $i -lt 100000 ]; do "
				    "i=$((i + 1)); done; echo done; sleep 9");
	assert_int_equal(host_wait_line(process, "ready", 5 * S), HOST_WAIT_DONE);
	idle_ns = host_cpu_time_ns(process);
	assert_int_equal(host_wait_line(process, "done", 30 * S), HOST_WAIT_DONE);
	busy_ns = host_cpu_time_ns(process);
	assert_in_range(idle_ns, 1, S);
	assert_in_range(busy_ns - idle_ns, 5 * MS, 20 * S);
	host_close_process(process);

	/* After the end, with what its children used. */
	process = start(pair.board,
			"sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done'; true");
	assert_int_equal(host_wait(process, 30 * S, &status), HOST_WAIT_DONE);
	assert_in_range(host_cpu_time_ns(process), 5 * MS, 20 * S);
	host_close_process(process);
	hosts_close(&pair);
}

static void what_cannot_be_started_is_said(void **state)
{
	const char *const nowhere[] = { "/nonexistent/program", NULL };
	const char *const unknown[] = { "no-such-program-anywhere", NULL };
	struct host_process *process;
	struct host_pair pair;
	struct reason reason;

	(void)state;
	open_pair(&pair);
	assert_int_equal(host_start(pair.board, nowhere, &process, &reason), -1);
	assert_non_null(
		strstr(reason.text, "/nonexistent/program: cannot be started: No such file"));
	assert_int_equal(host_start(pair.board, unknown, &process, &reason), -1);
	assert_non_null(strstr(reason.text, "no-such-program-anywhere: cannot be started"));
	hosts_close(&pair);
}

static void namespaces_are_joined_and_apart(void **state)
{
	struct host_pair pair;
	struct reason reason;
	char text[64];
	char *told;

	(void)state;
	open_pair(&pair);
	if (strcmp(pair.path, "veth")) {
		assert_string_equal(pair.path, "loopback");
		if (!system("unshare --net true 2>/dev/null || "
			    "unshare --map-root-user --net true 2>/dev/null"))
			fail_msg("namespaces are to be had, and yet: %s", pair.note.text);
		assert_true(*pair.note.text);
		hosts_close(&pair);
		skip();
	}
	assert_string_equal(pair.note.text, "");
	assert_string_not_equal(host_address(pair.board), host_address(pair.peer));
	told = output_of(pair.board,
			 "ip -o link | wc -l"); /* lo and the veth, nothing of outside */
	assert_string_equal(told, "2");
	free(told);
	assert_int_equal(host_read_file(pair.peer, "/proc/sys/net/ipv4/tcp_no_metrics_save", text,
					sizeof(text)),
			 1);
	assert_string_equal(text, "1");
	assert_int_equal(host_write_file(pair.peer, "/proc/sys/net/ipv4/tcp_no_metrics_save", "0"),
			 0);
	host_read_file(pair.peer, "/proc/sys/net/ipv4/tcp_no_metrics_save", text, sizeof(text));
	assert_string_equal(text, "0");
	host_read_file(pair.board, "/proc/sys/net/ipv4/tcp_no_metrics_save", text, sizeof(text));
	assert_string_equal(text, "1");

	assert_int_equal(host_mtu(pair.board), 1500);
	assert_int_equal(host_set_mtu(pair.board, 9000, &reason), 0);
	assert_int_equal(host_mtu(pair.board), 9000);
	assert_int_equal(host_mtu(pair.peer), 1500);
	assert_int_equal(host_set_mtu(pair.board, 70000, &reason), -1);
	assert_non_null(strstr(reason.text, "MTU 70000"));
	assert_int_equal(host_free_port(pair.board, &reason), 5201);
	hosts_close(&pair);
	assert_null(pair.board);
}

static void files_that_are_not_there(void **state)
{
	struct host_pair pair;
	char text[4];

	(void)state;
	open_pair(&pair);
	errno = 0;
	assert_int_equal(host_read_file(pair.board, "/nonexistent", text, sizeof(text)), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(host_write_file(pair.board, "/nonexistent/x", "1"), -1);
	assert_int_equal(errno, ENOENT);
	/* What does not fit is cut. */
	assert_int_equal(host_read_file(pair.board, "/proc/version", text, sizeof(text)), 3);
	assert_string_equal(text, "Lin");
	hosts_close(&pair);
}

static void congestion_control_is_tried(void **state)
{
	struct host_pair pair;
	struct reason reason;

	(void)state;
	open_pair(&pair);
	if (host_check_congestion(pair.board, "reno", &reason))
		fail_msg("reno: %s", reason.text);
	assert_int_equal(host_check_congestion(pair.board, "nonesuch", &reason), -1);
	assert_non_null(strstr(reason.text, "nonesuch"));
	assert_non_null(strstr(reason.text, "--congestion"));
	hosts_close(&pair);
}

static void wrong_settings_are_refused(void **state)
{
	static const struct {
		const char *section, *key, *value, *says;
	} wrong[] = {
		{ "board", "host", "ssh:user@board", "not available" },
		{ "board", "cpu", "1023", "usable here: 0" },
		{ "peer", "address", "fe80::1", "IPv4" },
		{ "board", "interface", "a b", "no blank" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct configuration configuration;
		struct host_pair pair;
		struct reason reason;

		configuration_default(&configuration);
		assert_int_equal(configuration_set(&configuration, wrong[i].section, wrong[i].key,
						   wrong[i].value, &reason),
				 0);
		if (!hosts_open(&configuration.board, &configuration.peer, &pair, &reason))
			fail_msg("accepted: %s = %s", wrong[i].key, wrong[i].value);
		if (!strstr(reason.text, wrong[i].says))
			fail_msg("%s = %s: \"%s\" does not say \"%s\"", wrong[i].key,
				 wrong[i].value, reason.text, wrong[i].says);
	}
}

static void an_interrupt_ends_every_wait(void **state)
{
	struct host_process *process;
	struct host_pair pair;
	int64_t before_ns;
	char *mask;
	int status;

	(void)state;
	assert_int_equal(interrupt_open(), 0);
	open_pair(&pair);
	/* Programs get these signals as ever: 1, 2 and 15 are not blocked in them. */
	mask = output_of(pair.board, "grep SigBlk: /proc/self/status | tr -dc 0-9a-f | tail -c 16");
	assert_int_equal(strtoull(mask, NULL, 16) & 0x4003, 0);
	free(mask);
	process = start(pair.board, "sleep 30");
	assert_false(interrupt_seen());
	before_ns = now_ns();
	kill(getpid(), SIGINT);
	assert_int_equal(host_wait(process, 20 * S, &status), HOST_WAIT_INTERRUPTED);
	assert_int_equal(host_wait_line(process, "x", 20 * S), HOST_WAIT_INTERRUPTED);
	assert_true(interrupt_seen());
	assert_in_range(now_ns() - before_ns, 0, 5 * S);
	host_close_process(process);
	hosts_close(&pair);
	interrupt_close();
	assert_false(interrupt_seen());
}

/* A process that opens hosts, starts a program, tells its pid, and waits to be killed. */
static pid_t start_victim(int *pid_pipe)
{
	pid_t victim;

	assert_int_equal(pipe(pid_pipe), 0);
	victim = fork();
	if (victim == 0) {
		struct configuration configuration;
		struct host_process *process;
		struct host_pair pair;
		struct reason reason;
		const char *const argv[] = { "sh", "-c", "echo $$; exec sleep 60", NULL };
		char *told;

		configuration_default(&configuration);
		if (hosts_open(&configuration.board, &configuration.peer, &pair, &reason) ||
		    host_start(pair.board, argv, &process, &reason) ||
		    host_wait_line(process, "", 5 * S) != HOST_WAIT_DONE)
			_exit(1);
		told = host_output_text(process, HOST_STDOUT);
		if (write(pid_pipe[1], told, strlen(told) + 1) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(pid_pipe[1]);
	return victim;
}

static void nothing_outlives_us(void **state)
{
	int pid_pipe[2], status;
	pid_t victim = start_victim(pid_pipe), program;
	char told[32] = "";

	(void)state;
	assert_true(victim > 0);
	assert_true(read(pid_pipe[0], told, sizeof(told) - 1) > 1);
	close(pid_pipe[0]);
	program = (pid_t)strtol(told, NULL, 10);
	assert_true(program > 1);
	assert_int_equal(kill(program, 0), 0);
	kill(victim, SIGKILL);
	assert_int_equal(waitpid(victim, &status, 0), victim);
	for (int i = 0; i < 200 && !kill(program, 0); i++) {
		const struct timespec moment = { 0, 10 * MS };
		char path[64], state_of[64] = "";
		FILE *file;

		/* Until init reaps it, a zombie is as good as gone. */
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)program);
		file = fopen(path, "r");
		if (file && fscanf(file, "%*d %*s %63s", state_of) == 1 && *state_of == 'Z') {
			fclose(file);
			return;
		}
		if (file)
			fclose(file);
		nanosleep(&moment, NULL);
	}
	if (!kill(program, 0)) {
		kill(program, SIGKILL);
		fail_msg("process %d outlives its harness", (int)program);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_pinned),
		cmocka_unit_test(output_is_kept_whole),
		cmocka_unit_test(lines_are_waited_for),
		cmocka_unit_test(time_limits_hold),
		cmocka_unit_test(programs_are_asked_to_end_first),
		cmocka_unit_test(cpu_time_is_that_of_the_process),
		cmocka_unit_test(what_cannot_be_started_is_said),
		cmocka_unit_test(namespaces_are_joined_and_apart),
		cmocka_unit_test(files_that_are_not_there),
		cmocka_unit_test(congestion_control_is_tried),
		cmocka_unit_test(wrong_settings_are_refused),
		cmocka_unit_test(an_interrupt_ends_every_wait),
		cmocka_unit_test(nothing_outlives_us),
	};

	return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
