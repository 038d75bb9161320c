/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Configuration files: what a good one sets, and for each kind of bad one the line that is named
 * and what is said to be allowed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/measure/configuration.h"
#include "harness/measure/configuration_keys.h"
#include "netbench/engine/engine.h"

static char path[] = "/tmp/test_configuration-XXXXXX.ini";

/* Reads this text as a file; the result of configuration_read(). */
static int read_text(const char *text, struct configuration *configuration, struct reason *reason)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
	*reason->text = '\0';
	configuration_default(configuration);
	return configuration_read(configuration, path, reason);
}

static void good_values_arrive(void **state)
{
	static const char text[] = "; a comment\n"
				   "# another\n"
				   "[run]\n"
				   "name = beagle-1\n"
				   "columns = iperf3, libc,\n"
				   "\tthreads:byte,  none\n"
				   " libc again\n"
				   "tests = udp-recv, tcp-recv\n"
				   "runs = 7 ; behind it\n"
				   "seconds = 11\n"
				   "omit = 1\n"
				   "seed = 9007199254740991\n"
				   "congestion = reno\n"
				   "\n"
				   "[board]\n"
				   "host = local\n"
				   "interface = eth1\n"
				   "address = 10.0.0.2\n"
				   "cpu = 3\n"
				   "[peer]\n"
				   "cpu = 0\n"
				   "[udp-recv]\n"
				   "mtu_board = 9000\n"
				   "mtu_peer = 576\n"
				   "length = 6500\n"
				   "rate = 1000M\n"
				   "[tcp-recv]\n"
				   "length = 65536\n"
				   "rate = 2.5G\n"
				   "[expect]\n"
				   "clock = 1000000000\n";
	struct configuration c;
	struct reason reason;

	(void)state;
	if (read_text(text, &c, &reason))
		fail_msg("refused: %s", reason.text);
	assert_string_equal(c.name, "beagle-1");
	assert_int_equal(c.column_count, 5);
	assert_string_equal(c.columns[0].id, "iperf3");
	assert_int_equal(c.columns[0].program, COLUMN_IPERF3);
	assert_string_equal(c.columns[2].id, "threads:byte");
	assert_string_equal(c.columns[2].engine, "threads");
	assert_string_equal(c.columns[2].copy, "byte");
	assert_string_equal(c.columns[3].copy, "none");
	assert_string_equal(c.columns[4].id, "libc again");
	assert_int_equal(c.columns[4].program, COLUMN_NETBENCH);
	assert_string_equal(c.columns[4].copy, "libc");
	assert_int_equal(c.test_count, 2);
	assert_string_equal(test_kinds[c.tests[0]].name, "udp-recv");
	assert_string_equal(test_kinds[c.tests[1]].name, "tcp-recv");
	assert_int_equal(c.runs, 7);
	assert_int_equal(c.seconds, 11);
	assert_int_equal(c.omit, 1);
	assert_int_equal(c.seed, UINT64_C(9007199254740991));
	assert_string_equal(c.congestion, "reno");
	assert_string_equal(c.board.interface, "eth1");
	assert_string_equal(c.board.address, "10.0.0.2");
	assert_int_equal(c.board.cpu, 3);
	assert_int_equal(c.peer.cpu, 0);
	assert_int_equal(c.test[c.tests[0]].mtu_board, 9000);
	assert_int_equal(c.test[c.tests[0]].mtu_peer, 576);
	assert_int_equal(c.test[c.tests[0]].length, 6500);
	assert_int_equal(c.test[c.tests[0]].rate_bits_per_s, UINT64_C(1000000000));
	assert_int_equal(c.test[c.tests[1]].length, 65536);
	assert_int_equal(c.test[c.tests[1]].rate_bits_per_s, UINT64_C(2500000000));
}

static void defaults_hold_in_an_empty_file(void **state)
{
	struct configuration c;
	struct reason reason;

	(void)state;
	if (read_text("", &c, &reason))
		fail_msg("refused: %s", reason.text);
	assert_string_equal(c.columns[0].id, "iperf3");
	assert_string_equal(c.columns[1].id, "libc");
	assert_string_equal(c.columns[c.column_count - 1].id, "libc again");
	assert_int_equal(c.test_count, TEST_KINDS);
	assert_int_equal(c.runs, 3);
	assert_int_equal(c.seconds, 2);
	assert_string_equal(c.congestion, "cubic");
	for (int i = 0; i < TEST_KINDS; i++) {
		assert_int_equal(c.test[i].mtu_board, 1500);
		assert_int_equal(c.test[i].length, test_kinds[i].udp ? 1448 : 0);
	}
	/* The file's name is the run's, if it is one that a run may have. */
	assert_memory_equal(c.name, "test_configuration-", strlen("test_configuration-"));
}

static void the_file_of_the_tree_is_good(void **state)
{
	struct configuration c;
	struct reason reason;

	(void)state;
	configuration_default(&c);
	if (configuration_read(&c, "configs/local.ini", &reason))
		fail_msg("refused: %s", reason.text);
	assert_int_equal(c.column_count, 10);
	assert_string_equal(c.columns[9].id, "libc again");
	assert_string_equal(c.name, "local");
}

static const struct bad {
	const char *text;
	unsigned int line;   /* that is to be named */
	const char *says[3]; /* what the message has to contain */
} bad[] = {
	{ "[run]\nruns = 0\n", 2, { "[run] runs", "\"0\"", "1 to 1000" } },
	{ "[run]\nruns = 1001\n", 2, { "1 to 1000" } },
	{ "[run]\nruns = -1\n", 2, { "1 to 1000" } },
	{ "[run]\nruns = 3x\n", 2, { "\"3x\"", "1 to 1000" } },
	{ "[run]\nruns =\n", 2, { "1 to 1000" } },
	{ "[run]\nruns = 99999999999999999999\n", 2, { "1 to 1000" } },
	{ "[run]\n\nseconds = 2.5\n", 3, { "[run] seconds", "1 to 3600" } },
	{ "[run]\nomit = 61\n", 2, { "0 to 60" } },
	{ "[run]\nseed = 9007199254740992\n", 2, { "[run] seed", "9007199254740991" } },
	{ "[run]\nname = a/b\n", 2, { "[run] name", "letters, digits" } },
	{ "[run]\nname = .hidden\n", 2, { "[run] name" } },
	{ "[run]\ncongestion = averyveryverylongname\n", 2, { "1 to 15" } },
	{ "[run]\ncolumns = libc, nonesuch\n", 2, { "nonesuch", "iperf3", "linux-shift" } },
	{ "[run]\ncolumns = libc,\n nonesuch\n", 3, { "nonesuch", "iperf3" } },
	{ "[run]\ncolumns = libc, libc\n", 2, { "twice", "libc again" } },
	{ "[run]\ncolumns =\n", 2, { "empty" } },
	{ "[run]\ncolumns = libc,,byte\n", 2, { "(empty)", "iperf3" } },
	{ "[run]\ncolumns = kernel:../linux\n",
	  2,
	  { "kernel:../linux", "cannot be the name", "iperf3" } },
	{ "[run]\ncolumns = kernel:\n", 2, { "cannot be the name" } },
	{ "[run]\ncolumns = lwip:linux\n", 2, { "not available yet" } },
	{ "[run]\ncolumns = warp:linux\n", 2, { "no engine \"warp\"", "uring:VARIANT" } },
	{ "[run]\ncolumns = uring:nonesuch\n", 2, { "uring:nonesuch", "no such column" } },
	{ "[run]\ntests = tcp-recv, tcp-up\n", 2, { "tcp-up", "udp-send" } },
	{ "[run]\ntests = tcp-recv, tcp-recv\n", 2, { "twice" } },
	{ "[run]\nrnus = 3\n", 2, { "no key \"rnus\"", "columns, tests, runs" } },
	{ "[run]\nruns = 3\nseconds = 2\nruns = 4\n", 4, { "second time", "line 2" } },
	{ "[run]\nruns = 3\n 4\n", 3, { "one line only" } },
	{ "[board]\nhost =\n", 2, { "[board] host", "1 to 127" } },
	{ "[board]\ninterface = averyverylonginterface\n", 2, { "0 to 15" } },
	{ "[board]\ncpu = 1024\n", 2, { "0 to 1023" } },
	{ "[peer]\nmtu_board = 1500\n",
	  2,
	  { "[peer] has no key", "host, interface, address, cpu" } },
	{ "[udp-recv]\nlength = 15\n", 2, { "16 to 65507" } },
	{ "[udp-recv]\nlength = 65508\n", 2, { "16 to 65507" } },
	{ "[tcp-recv]\nlength = 1048577\n", 2, { "0 to 1048576" } },
	{ "[tcp-send]\nmtu_peer = 575\n", 2, { "576 to 65535" } },
	{ "[udp-send]\nrate = fast\n", 2, { "\"fast\"", "1000M" } },
	{ "[udp-send]\nrate = 1T\n", 2, { "1000M" } },
	{ "[udp-send]\nrate = 1MM\n", 2, { "1000M" } },
	{ "[udp-send]\nrate = 2000G\n", 2, { "at most 1000G" } },
	{ "[udp-send]\nrate = nan\n", 2, { "no rate" } },
	{ "[run]\nruns = 3\n[runs]\nruns = 3\n",
	  3,
	  { "no section [runs]", "[board]", "[udp-recv]" } },
	{ "[run]\n[nothing-in-it]\n", 2, { "no section [nothing-in-it]" } },
	{ "runs = 3\n", 1, { "before the first [section]" } },
	{ "[run]\nruns\n", 2, { "key = value" } },
	{ "[run\nruns = 3\n", 1, { "[section]", "without" } },
};

static void bad_files_are_refused_by_line(void **state)
{
	struct configuration c;
	struct reason reason;
	char place[64];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!read_text(bad[i].text, &c, &reason))
			fail_msg("accepted: %s", bad[i].text);
		snprintf(place, sizeof(place), "%s:%u: ", path, bad[i].line);
		if (strncmp(reason.text, place, strlen(place)))
			fail_msg("for %s\"%s\" does not begin with \"%s\"", bad[i].text,
				 reason.text, place);
		for (size_t j = 0; j < 3 && bad[i].says[j]; j++)
			if (!strstr(reason.text, bad[i].says[j]))
				fail_msg("for %s\"%s\" does not say \"%s\"", bad[i].text,
					 reason.text, bad[i].says[j]);
	}
}

static void long_lines_are_refused(void **state)
{
	char text[4096] = "[run]\nruns = 3\ncolumns = libc";
	struct configuration c;
	struct reason reason;

	(void)state;
	while (strlen(text) < 3000)
		strcat(text, ", byte");
	assert_int_equal(read_text(text, &c, &reason), -1);
	assert_non_null(strstr(reason.text, ":3: "));
	assert_non_null(strstr(reason.text, "next line"));
}

static void files_that_cannot_be_read(void **state)
{
	struct configuration c;
	struct reason reason;

	(void)state;
	configuration_default(&c);
	assert_int_equal(configuration_read(&c, "/nonexistent/x.ini", &reason), -1);
	assert_non_null(strstr(reason.text, "/nonexistent/x.ini: No such file"));
	assert_int_equal(configuration_read(&c, "/tmp", &reason), -1);
	assert_non_null(strstr(reason.text, "/tmp: "));
}

static void options_set_what_files_set(void **state)
{
	struct configuration c;
	struct reason reason;

	(void)state;
	configuration_default(&c);
	assert_int_equal(configuration_set(&c, "run", "columns", "libc,libc  again", &reason), 0);
	assert_int_equal(c.column_count, 2);
	assert_string_equal(c.columns[1].id, "libc again");
	assert_int_equal(configuration_set(&c, "run", "runs", "x", &reason), -1);
	assert_int_equal(configuration_set(&c, "run", "nothing", "x", &reason), -1);
	assert_int_equal(configuration_set(&c, "nowhere", "runs", "1", &reason), -1);
}

static void sections_of_tests_belong_to_their_tests(void **state)
{
	(void)state;
	for (int i = 0; i < TEST_KINDS; i++) {
		struct configuration c;
		struct reason reason;

		configuration_default(&c);
		assert_int_equal(configuration_set(&c, test_kinds[i].name, "length", "99", &reason),
				 0);
		for (int j = 0; j < TEST_KINDS; j++)
			if ((c.test[j].length == 99) != (i == j))
				fail_msg("[%s] length went to %s", test_kinds[i].name,
					 test_kinds[j].name);
	}
}

/* harness lists netbench's engines by itself, since it only knows the program. */
static void engines_are_netbenchs(void **state)
{
	(void)state;
	for (size_t i = 0; engine_name(i) || column_engine(i); i++) {
		if (!engine_name(i) || !column_engine(i) ||
		    strcmp(engine_name(i), column_engine(i)))
			fail_msg("engine %zu: netbench has %s, harness %s", i,
				 engine_name(i) ? engine_name(i) : "none",
				 column_engine(i) ? column_engine(i) : "none");
	}
}

static void a_repetition_needs_what_it_repeats(void **state)
{
	static const struct {
		const char *columns;
		const char *missing; /* NULL: it is good */
	} rows[] = {
		{ "libc, libc again", NULL },
		{ "libc again, libc", NULL },
		{ "iperf3, threads:byte, threads:byte again", NULL },
		{ "libc again", "\"libc\"" },
		{ "iperf3, byte, libc again", "\"libc\"" },
		{ "byte, threads:byte again", "\"threads:byte\"" },
		{ "libc, iperf3 again", "\"iperf3\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct configuration configuration;
		struct reason reason = { "" };
		int status;

		configuration_default(&configuration);
		assert_int_equal(configuration_set(&configuration, "run", "columns",
						   rows[i].columns, &reason),
				 0);
		status = configuration_check(&configuration, &reason);
		if ((status != 0) != (rows[i].missing != NULL) ||
		    (rows[i].missing && !strstr(reason.text, rows[i].missing)))
			fail_msg("%s: %d, %s", rows[i].columns, status, reason.text);
	}
}

static int make_file(void **state)
{
	int fd = mkstemps(path, 4);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_values_arrive),
		cmocka_unit_test(defaults_hold_in_an_empty_file),
		cmocka_unit_test(the_file_of_the_tree_is_good),
		cmocka_unit_test(bad_files_are_refused_by_line),
		cmocka_unit_test(long_lines_are_refused),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(options_set_what_files_set),
		cmocka_unit_test(sections_of_tests_belong_to_their_tests),
		cmocka_unit_test(engines_are_netbenchs),
		cmocka_unit_test(a_repetition_needs_what_it_repeats),
	};

	return cmocka_run_group_tests_name("configuration", tests, make_file, remove_file);
}
