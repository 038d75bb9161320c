/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Runs with stand-ins for iperf3 and netbench, small scripts that do as a file tells them: figures
 * reach the result, a cell that fails is tried once more and then noted, an interrupt keeps what
 * was measured, and no server or client is left running.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/measure/interrupt.h"
#include "harness/measure/run.h"
#include "harness/measure/schema.h"

static char folder[] = "/tmp/test_run-XXXXXX";

/* A server says it is ready and waits; a client counts its calls, and does what "mode" says. */
static const char fake_iperf3[] =
	"#!/bin/sh\n"
	"cd \"$FAKE\"\n"
	"case \" $* \" in *' -s '*)\n"
	"	echo $$ >>pids; echo 'Server listening on 5201'; exec sleep 60;;\n"
	"esac\n"
	"mode=$(cat mode)\n"
	"echo $$ >>pids; echo x >>calls\n"
	"[ \"$mode\" != 'once' ] || [ $(wc -l <calls) -gt 1 ] || mode=error\n"
	"seconds=2 congestion=cubic\n"
	"case $mode in\n"
	"error) echo '{\"error\": \"the server is busy\"}'; echo 'a complaint' >&2; exit 1;;\n"
	"short) seconds=0.5;;\n"
	"bbr) congestion=bbr;;\n"
	"status) status=7;;\n"
	"hang) exec sleep 60;;\n"
	"esac\n"
	"echo '{\"end\": {\"sum_received\": {\"bytes\": 250000000, \"seconds\": '$seconds',"
	" \"packets\": 1000, \"lost_packets\": 10}, \"sender_tcp_congestion\": "
	"\"'$congestion'\"}}'\n"
	"exit ${status:-0}\n";

static const char fake_netbench[] = "#!/bin/sh\n"
				    "cd \"$FAKE\"\n"
				    "echo $$ >>pids; echo \"$*\" >>servers\n"
				    "case $(cat mode) in\n"
				    "dead) echo 'netbench serve: port 5201: in use' >&2; exit 2;;\n"
				    "esac\n"
				    "echo 'netbench: listening on port 5201; an engine'\n"
				    "echo '{\"copy_ns_per_byte\": 0.125}'\n"
				    "exec sleep 60\n";

static void path_of(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	char path[256];
	FILE *file;

	path_of(name, path, sizeof(path));
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static size_t count_lines(const char *name)
{
	char path[256];
	size_t lines = 0;
	FILE *file;
	int c;

	path_of(name, path, sizeof(path));
	file = fopen(path, "r");
	if (!file)
		return 0;
	while ((c = fgetc(file)) != EOF)
		lines += c == '\n';
	fclose(file);
	return lines;
}

/* None of the stand-ins still runs. */
static void assert_all_have_ended(void)
{
	char path[256];
	FILE *file;
	int pid;

	path_of("pids", path, sizeof(path));
	file = fopen(path, "r");
	assert_non_null(file);
	while (fscanf(file, "%d", &pid) == 1)
		if (!kill(pid, 0) || errno != ESRCH)
			fail_msg("process %d is still there", pid);
	fclose(file);
}

struct rig {
	struct configuration configuration;
	struct programs programs;
	struct bench bench;
	char run_json[256];
};

/* A bench whose stand-ins are in this mode. */
static void set_up(struct rig *rig, const char *mode, const char *columns, const char *tests)
{
	struct reason reason;
	char path[256];

	path_of("calls", path, sizeof(path));
	unlink(path);
	path_of("pids", path, sizeof(path));
	unlink(path);
	path_of("servers", path, sizeof(path));
	unlink(path);
	write_file("mode", mode, 0644);
	memset(rig, 0, sizeof(*rig));
	configuration_default(&rig->configuration);
	assert_int_equal(configuration_set(&rig->configuration, "run", "columns", columns, &reason),
			 0);
	assert_int_equal(configuration_set(&rig->configuration, "run", "tests", tests, &reason), 0);
	assert_int_equal(configuration_set(&rig->configuration, "run", "runs", "2", &reason), 0);
	rig->configuration.seed = 1;
	path_of("iperf3", rig->programs.iperf3, sizeof(rig->programs.iperf3));
	path_of("netbench", rig->programs.netbench, sizeof(rig->programs.netbench));
	snprintf(rig->programs.iperf3_version, sizeof(rig->programs.iperf3_version), "3.18");
	path_of("run.json", rig->run_json, sizeof(rig->run_json));
	rig->bench.configuration = &rig->configuration;
	rig->bench.client_extra_s = BENCH_CLIENT_EXTRA_S;
	rig->bench.board_programs = rig->bench.peer_programs = &rig->programs;
	if (hosts_open(&rig->configuration.board, &rig->configuration.peer, &rig->bench.hosts,
		       &reason))
		fail_msg("hosts: %s", reason.text);
}

/* Measures; the result is what was written, since it has to be valid. */
static struct result *measure(struct rig *rig)
{
	struct reason reason;
	struct result *result = run_create_result(&rig->bench, "harness net", &reason);
	struct result *written;

	assert_non_null(result);
	if (run_measure(&rig->bench, result, rig->run_json, &reason))
		fail_msg("run: %s", reason.text);
	written = result_read(rig->run_json, &reason);
	if (!written)
		fail_msg("what was written: %s", reason.text);
	assert_int_equal(run_count_samples(result), run_count_samples(written));
	result_destroy(result);
	return written;
}

static void take_down(struct rig *rig, struct result *result)
{
	result_destroy(result);
	hosts_close(&rig->bench.hosts);
	assert_all_have_ended();
}

static const char *first_message(const struct result *result, size_t row)
{
	const json_t *failed = json_object_get(result->rows[row].fields, "failed");
	const char *message =
		json_string_value(json_object_get(json_array_get(failed, 0), "message"));

	return message ? message : "no failure";
}

static void figures_reach_the_result(void **state)
{
	struct result *result;
	struct rig rig;

	(void)state;
	set_up(&rig, "good", "iperf3, uring:byte", "udp-recv, tcp-recv");
	result = measure(&rig);
	assert_true(json_is_false(json_object_get(result->head, "partial")));
	assert_int_equal(run_count_samples(result), 8);
	assert_int_equal(run_count_failures(result), 0);
	assert_int_equal(count_lines("calls"), 8);
	for (size_t row = 0; row < 2; row++) {
		for (size_t column = 0; column < 2; column++) {
			const struct series *cell = &result->rows[row].series[SERIES_CELLS][column];

			assert_int_equal(cell->count, 2);
			assert_true(cell->values[0] == 1000); /* 250 MB in 2 s */
			assert_true(result->rows[row].series[SERIES_CPU_S_PER_GB][column].count ==
				    2);
		}
		assert_int_equal(result->rows[row].series[SERIES_COPY_NS_PER_BYTE][0].count, 0);
		assert_true(result->rows[row].series[SERIES_COPY_NS_PER_BYTE][1].values[1] ==
			    0.125);
	}
	assert_string_equal(result_row_text(&result->rows[0], "test"), "udp-recv");
	assert_true(result->rows[0].series[SERIES_LOSS][0].values[0] == 1);
	assert_null(result->rows[1].series[SERIES_LOSS]);
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(result->rows[1].fields, "congestion"), 1)),
			    "cubic");
	assert_string_equal(json_string_value(json_object_get(result->columns[1].fields, "server")),
			    "netbench: listening on port 5201; an engine");
	assert_string_equal(json_string_value(json_object_get(result->columns[1].fields, "copy")),
			    "byte");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(result->head, "facts"), "seed")),
		1);
	take_down(&rig, result);
}

static void netbench_gets_its_arguments(void **state)
{
	struct result *result;
	char path[256], line[512];
	struct rig rig;
	FILE *file;

	(void)state;
	set_up(&rig, "good", "threads:linux-shift", "tcp-recv");
	result = measure(&rig);
	path_of("servers", path, sizeof(path));
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	assert_non_null(strstr(line, "serve --port 52"));
	assert_non_null(strstr(line, "--copy linux-shift"));
	assert_non_null(strstr(line, "--engine threads"));
	assert_non_null(strstr(line, host_address(rig.bench.hosts.board)));
	take_down(&rig, result);
}

static void a_cell_that_fails_once_is_good(void **state)
{
	const json_t *notes;
	struct result *result;
	struct rig rig;
	const char *note;

	(void)state;
	set_up(&rig, "once", "iperf3", "tcp-recv");
	result = measure(&rig);
	assert_int_equal(run_count_samples(result), 2);
	assert_int_equal(run_count_failures(result), 0);
	assert_int_equal(count_lines("calls"), 3);
	notes = json_object_get(result->head, "notes");
	note = json_string_value(json_array_get(notes, json_array_size(notes) - 1));
	if (!note || !strstr(note, "tcp-recv under iperf3, run 1: good at the second attempt"))
		fail_msg("the last note: %s", note ? note : "none");
	take_down(&rig, result);
}

static void cells_that_fail_are_noted(void **state)
{
	static const struct {
		const char *mode, *columns, *says[2];
		size_t calls;
	} cases[] = {
		{ "error", "iperf3", { "iperf3: the server is busy", "client: a complaint" }, 4 },
		{ "short", "iperf3", { "measured for 0.50 s instead of 2 s" }, 4 },
		{ "bbr", "iperf3", { "bbr instead of cubic" }, 4 },
		{ "status", "iperf3", { "status 7" }, 4 },
		{ "dead", "libc", { "ended at once", "port 5201: in use" }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result *result;
		struct rig rig;

		set_up(&rig, cases[i].mode, cases[i].columns, "tcp-recv");
		result = measure(&rig);
		assert_true(json_is_false(json_object_get(result->head, "partial")));
		assert_int_equal(run_count_samples(result), 0);
		assert_int_equal(run_count_failures(result), 2);
		for (int j = 0; j < 2 && cases[i].says[j]; j++)
			if (!strstr(first_message(result, 0), cases[i].says[j]))
				fail_msg("mode %s: \"%s\" does not say \"%s\"", cases[i].mode,
					 first_message(result, 0), cases[i].says[j]);
		assert_int_equal(count_lines("calls"), cases[i].calls);
		take_down(&rig, result);
	}
}

static void an_interrupt_keeps_what_was_measured(void **state)
{
	struct result *result;
	struct rig rig;
	pid_t killer;

	(void)state;
	assert_int_equal(interrupt_open(), 0);
	set_up(&rig, "good", "iperf3", "tcp-recv");
	/* After the first client was called, the next ones hang, until the signal comes. */
	killer = fork();
	if (killer == 0) {
		while (!count_lines("calls"))
			usleep(1000);
		write_file("mode", "hang", 0644);
		while (count_lines("calls") < 2)
			usleep(1000);
		kill(getppid(), SIGINT);
		_exit(0);
	}
	rig.configuration.runs = 1000;
	result = measure(&rig);
	assert_int_equal(waitpid(killer, NULL, 0), killer);
	interrupt_close();
	assert_true(json_is_true(json_object_get(result->head, "partial")));
	assert_in_range(run_count_samples(result), 1, 999);
	assert_int_equal(run_count_failures(result), 0);
	take_down(&rig, result);
}

static void a_client_that_hangs_is_killed(void **state)
{
	struct cell_figures figures;
	struct reason reason;
	struct column column;
	struct rig rig;

	(void)state;
	set_up(&rig, "hang", "iperf3", "tcp-recv");
	rig.configuration.seconds = 1;
	rig.bench.client_extra_s = 0;
	assert_int_equal(column_parse("iperf3", &column, &reason), 0);
	assert_int_equal(cell_measure(&rig.bench, &column, 0, &figures, &reason), CELL_FAILED);
	assert_non_null(strstr(reason.text, "not ended after 1 s"));
	take_down(&rig, NULL);
}

static void a_result_that_cannot_be_written_is_an_error(void **state)
{
	struct result *result;
	struct reason reason;
	struct rig rig;

	(void)state;
	set_up(&rig, "good", "iperf3", "tcp-recv");
	result = run_create_result(&rig.bench, "harness net", &reason);
	assert_non_null(result);
	assert_int_equal(run_measure(&rig.bench, result, "/nonexistent/run.json", &reason), -1);
	assert_non_null(strstr(reason.text, "/nonexistent/run.json"));
	take_down(&rig, result);
}

static int make_stand_ins(void **state)
{
	char path[4096];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	write_file("iperf3", fake_iperf3, 0755);
	write_file("netbench", fake_netbench, 0755);
	snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
	return setenv("PATH", path, 1) || setenv("FAKE", folder, 1);
}

static int remove_stand_ins(void **state)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	char path[512];

	(void)state;
	while (directory && (entry = readdir(directory))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		unlink(path);
	}
	if (directory)
		closedir(directory);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_reach_the_result),
		cmocka_unit_test(netbench_gets_its_arguments),
		cmocka_unit_test(a_cell_that_fails_once_is_good),
		cmocka_unit_test(cells_that_fail_are_noted),
		cmocka_unit_test(an_interrupt_keeps_what_was_measured),
		cmocka_unit_test(a_client_that_hangs_is_killed),
		cmocka_unit_test(a_result_that_cannot_be_written_is_an_error),
	};

	return cmocka_run_group_tests_name("run", tests, make_stand_ins, remove_stand_ins);
}
