/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command line of `netbench serve`: what is taken, and what is said of the rest. */
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "copylib/copylib.h"
#include "netbench/serve_options.h"

static char said[4096];

/* Reads the line's words; what goes to standard error is in said. */
static enum serve_options_result read_line(const char *line, struct serve_options *options)
{
	static char words[256]; /* the options point into it */
	char *argv[32] = { "serve" };
	int argc = 1, before = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	enum serve_options_result result;

	assert_non_null(file);
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word && argc < 31; word = strtok(NULL, " "))
		argv[argc++] = word;
	optind = 0;
	dup2(fileno(file), STDERR_FILENO);
	result = serve_options_read(argc, argv, options);
	dup2(before, STDERR_FILENO);
	close(before);
	rewind(file);
	said[fread(said, 1, sizeof(said) - 1, file)] = '\0';
	fclose(file);
	return result;
}

static void without_options_all_is_as_documented(void **state)
{
	struct serve_options options;

	(void)state;
	assert_int_equal(read_line("", &options), SERVE_OPTIONS_RUN);
	assert_int_equal(options.port, 5201);
	assert_false(options.echo_port_given);
	assert_string_equal(options.engine, "auto");
	assert_string_equal(options.engine_options.copy->name, "libc");
	assert_int_equal(options.engine_options.ring_bytes, 128 << 10);
}

static void good_options_are_taken(void **state)
{
	struct serve_options options;

	(void)state;
	assert_int_equal(read_line("--port 7000 --echo-port 0 --copy none --engine threads"
				   " --align 3,63 --ring 1M --slot 1M --workers 64 --one-off"
				   " --json - --quiet --bind ::1",
				   &options),
			 SERVE_OPTIONS_RUN);
	assert_int_equal(options.port, 7000);
	assert_true(options.echo_port_given);
	assert_int_equal(options.echo_port, 0);
	assert_null(options.engine_options.copy);
	assert_string_equal(options.engine, "threads");
	assert_int_equal(options.engine_options.source_align, 3);
	assert_int_equal(options.engine_options.destination_align, 63);
	assert_int_equal(options.engine_options.ring_bytes, 1 << 20);
	assert_int_equal(options.engine_options.slot_bytes, 1 << 20);
	assert_int_equal(options.engine_options.workers, 64);
	assert_true(options.one_off && options.quiet);
	assert_string_equal(options.json, "-");
	assert_string_equal(options.bind_address, "::1");
}

/* What is said names the option, what was given, and what is allowed. */
static void wrong_ones_are_answered_with_what_is_allowed(void **state)
{
	static const struct {
		const char *line, *parts[3];
	} rows[] = {
		{ "--copy bite", { "--copy bite", "byte", "none" } },
		{ "--engine epoll", { "--engine epoll", "uring", "threads" } },
		{ "--colour red", { "--colour", "--copy VARIANT", "--engine ENGINE" } },
		{ "--copy", { "--copy", "missing", "--copy VARIANT" } },
		{ "extra", { "extra", "too much", "--port PORT" } },
		{ "--port 65536", { "--port 65536", "0 to 65535", "" } },
		{ "--port -1", { "--port -1", "0 to 65535", "" } },
		{ "--port 80x", { "--port 80x", "0 to 65535", "" } },
		{ "--align 64,0", { "--align 64,0", "0 to 63", "" } },
		{ "--align 1", { "--align 1", "SRC,DST", "" } },
		{ "--ring 63", { "--ring 63", "64 to 1073741824", "cold" } },
		{ "--ring 2G", { "--ring 2G", "64 to 1073741824", "cold" } },
		{ "--ring 99999999999999999999", { "--ring", "64 to 1073741824", "" } },
		{ "--slot 511", { "--slot 511", "512 to 1048576", "" } },
		{ "--slot 1025K", { "--slot 1025K", "512 to 1048576", "" } },
		{ "--slot 1KK", { "--slot 1KK", "512 to 1048576", "" } },
		{ "--workers 0", { "--workers 0", "1 to 64", "" } },
		{ "--ring", { "--ring", "value is missing", "--ring BYTES" } },
		{ "--port 1 --copy", { "--copy", "value is missing", "--copy VARIANT" } },
		{ "--one-off=1", { "--one-off=1", "argument too much", "" } },
		{ "--copy duff", { "--copy duff", "no memcpy", "" } },
		{ "--workers 65", { "--workers 65", "1 to 64", "" } },
	};
	struct serve_options options;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (read_line(rows[i].line, &options) != SERVE_OPTIONS_WRONG)
			fail_msg("%s: was taken", rows[i].line);
		for (int part = 0; part < 3; part++)
			if (!strstr(said, rows[i].parts[part]))
				fail_msg("%s: nothing of \"%s\" in: %s", rows[i].line,
					 rows[i].parts[part], said);
	}
}

static void every_variant_is_taken(void **state)
{
	struct serve_options options;
	char line[64];

	(void)state;
	for (size_t i = 0; i < copy_variant_count(); i++) {
		const struct copy_variant *variant = copy_variant_at(i);
		bool usable = variant->memcpy && copy_variant_runs_here(variant);

		snprintf(line, sizeof(line), "--copy %s", variant->name);
		if ((read_line(line, &options) == SERVE_OPTIONS_RUN) != usable)
			fail_msg("%s: %s", line, said);
		if (usable)
			assert_ptr_equal(options.engine_options.copy, variant);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_options_all_is_as_documented),
		cmocka_unit_test(good_options_are_taken),
		cmocka_unit_test(wrong_ones_are_answered_with_what_is_allowed),
		cmocka_unit_test(every_variant_is_taken),
	};

	return cmocka_run_group_tests_name("options of serve", tests, NULL, NULL);
}
