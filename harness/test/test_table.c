/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The table: what stands where, in blocks that fit the width, and the verdict below it.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/measure/table.h"
#include "harness/measure/verdict.h"

#define COLUMNS_MAX 12

struct shape {
	const char *columns[COLUMNS_MAX]; /* up to the first NULL */
	json_int_t runs;
	double busy_percent;
	bool partial;
};

/* A result with these columns and the rows tcp-recv and udp-recv, still without samples. */
static struct result *create(const struct shape *shape)
{
	json_t *facts = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:i, s:i, s:f}", "kernel",
				  "6.12.1", "iperf3", "3.18", "netbench", "0.1.0", "path", "veth",
				  "congestion", "cubic", "runs", shape->runs, "seconds", 2, "seed",
				  42, "busy_percent", shape->busy_percent);
	struct result *result = result_create(json_pack(
		"{s:s, s:s, s:b, s:o, s:[s]}", "board", "a bøard, 4 CPUs", "unit", "Mbit/s",
		"partial", shape->partial, "facts", facts, "notes", "a caveat"));

	assert_non_null(result);
	for (int i = 0; i < COLUMNS_MAX && shape->columns[i]; i++)
		assert_int_equal(
			result_add_column(result, json_pack("{s:s}", "id", shape->columns[i])), 0);
	for (int udp = 0; udp < 2; udp++)
		assert_int_equal(
			result_add_row(result,
				       json_pack("{s:s, s:i, s:i}", "test",
						 udp ? "udp-recv" : "tcp-recv", "mtu_board", 1500,
						 "mtu_peer", 1500),
				       1u << SERIES_CPU_S_PER_GB | (udp ? 1u << SERIES_LOSS : 0)),
			0);
	return result;
}

static void add(struct result *result, size_t row, size_t column, double figure)
{
	assert_int_equal(series_add(&result->rows[row].series[SERIES_CELLS][column], figure), 0);
	assert_int_equal(series_add(&result->rows[row].series[SERIES_CPU_S_PER_GB][column], 0.5),
			 0);
	if (row == 1)
		assert_int_equal(series_add(&result->rows[row].series[SERIES_LOSS][column], 0.25),
				 0);
}

/* The table as text, to be freed. */
static char *print(const struct result *result, size_t width, bool cpu)
{
	const struct table_options options = { .width = width, .cpu = cpu };
	size_t size;
	char *text;
	FILE *memory = open_memstream(&text, &size);

	assert_non_null(memory);
	table_print(memory, result, &options);
	fclose(memory);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("there is no\n%s\nin\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("there is\n%s\nin\n%s", part, text);
}

static void cells_stand_under_their_columns(void **state)
{
	static const struct shape shape = { .columns = { "iperf3", "libc" }, .runs = 3 };
	struct result *result = create(&shape);
	char *text;

	(void)state;
	for (int i = 0; i < 3; i++) {
		add(result, 0, 0, 940 + i);
		add(result, 0, 1, 50.25 + i);
		add(result, 1, 0, 9.5);
		add(result, 1, 1, 100000 + 1000 * i);
	}
	text = print(result, 100, false);
	assert_has(text,
		   "a bøard, 4 CPUs · Linux 6.12.1 · iperf3 3.18 · netbench 0.1.0 · MTU 1500 · "
		   "veth, cubic\n3 runs of 2 s · median [low-high] · seed 42\n");
	assert_has(text, "note: a caveat\n");
	assert_has(text, "\n"
			 "               iperf3             libc\n"
			 "tcp-recv          941             51.2  Mbit/s\n"
			 "            [940-942]      [50.2-52.2]\n"
			 "udp-recv         9.50           101000  Mbit/s\n"
			 "          [9.50-9.50]  [100000-102000]\n"
			 "  loss %         0.25             0.25\n"
			 "\n");
	/* The first line has 86 characters, its parts one byte more: it fits exactly. */
	free(text);
	text = print(result, 86, false);
	assert_has(text, "MTU 1500 · veth, cubic\n");
	assert_lacks(text, "CPU s/GB");
	assert_lacks(text, "BUSY");
	assert_lacks(text, "PARTIAL");
	free(text);
	text = print(result, 100, true);
	assert_has(text, "  CPU s/GB");
	free(text);
	result_destroy(result);
}

static void one_run_has_no_range_and_no_noise(void **state)
{
	static const struct shape shape = { .columns = { "libc" }, .runs = 1 };
	struct result *result = create(&shape);
	char *text;

	(void)state;
	add(result, 0, 0, 941);
	add(result, 1, 0, 700);
	text = print(result, 100, false);
	assert_has(text, "1 run of 2 s · one figure a cell");
	assert_has(text, "tcp-recv   941  Mbit/s\nudp-recv   700  Mbit/s\n");
	assert_has(text, "noise: not known");
	free(text);
	result_destroy(result);
}

static size_t widest_line(const char *text)
{
	size_t widest = 0, width = 0;

	for (; *text; text++) {
		if (*text == '\n')
			width = 0;
		else if ((*text & 0xc0) != 0x80 && ++width > widest)
			widest = width;
	}
	return widest;
}

static void columns_that_do_not_fit_go_into_blocks(void **state)
{
	static const struct shape shape = { .columns = { "iperf3", "libc", "byte", "linux",
							 "linux-shift", "asm-shift", "c-words",
							 "c-shift", "c-unroll", "libc again" },
					    .runs = 3 };
	struct result *result = create(&shape);
	char *text;

	(void)state;
	for (size_t row = 0; row < 2; row++)
		for (size_t column = 0; column < 10; column++)
			for (int i = 0; i < 3; i++)
				add(result, row, column, 50000 + 100 * (double)column + i);
	for (size_t width = 60; width <= 200; width += 20) {
		text = print(result, width, true);
		if (widest_line(text) > width)
			fail_msg("%zu characters in a line of %zu:\n%s", widest_line(text), width,
				 text);
		for (int i = 0; i < 10; i++)
			assert_has(text, shape.columns[i]);
		free(text);
	}
	result_destroy(result);
}

static void what_is_missing_is_said(void **state)
{
	static const struct shape shape = {
		.columns = { "libc", "byte" }, .runs = 2, .busy_percent = 40, .partial = true
	};
	struct result *result = create(&shape);
	char *text;

	(void)state;
	add(result, 0, 0, 941);
	assert_int_equal(result_add_failure(result, 0, 1, 2, "iperf3: unable to connect"), 0);
	text = print(result, 100, false);
	assert_has(text, "PARTIAL: ");
	assert_has(text, "BUSY: other programs used 40 % of the CPUs when the run began");
	assert_has(text, "tcp-recv   941  failed  Mbit/s\n");
	assert_has(text, "udp-recv     -       -  Mbit/s\n");
	assert_has(text, "failed: tcp-recv under byte, run 2: iperf3: unable to connect\n");
	free(text);
	/* What is known of the run itself counts more. */
	json_object_set_new(json_object_get(result->head, "facts"), "others_percent", json_real(9));
	text = print(result, 100, false);
	assert_lacks(text, "BUSY");
	free(text);
	json_object_set_new(json_object_get(result->head, "facts"), "others_percent",
			    json_real(11));
	text = print(result, 100, false);
	assert_has(text, "BUSY: other programs used 11 % of the CPUs during the run");
	free(text);
	result_destroy(result);
}

static void mtus_that_differ_are_told(void **state)
{
	static const struct shape shape = { .columns = { "libc" }, .runs = 1 };
	struct result *result = create(&shape);
	char *text;

	(void)state;
	json_object_set_new(result->rows[1].fields, "mtu_peer", json_integer(9000));
	text = print(result, 100, false);
	assert_has(text, "MTU board/peer 1500/1500, 1500/9000");
	free(text);
	result_destroy(result);
}

/* -- the verdict ---------------------------------------------------------------------------- */

static struct result *create_compared(double byte, double again)
{
	static const struct shape shape = { .columns = { "iperf3", "libc", "byte", "libc again" },
					    .runs = 2 };
	struct result *result = create(&shape);
	const double medians[] = { 1001, 1000, byte, again };

	for (size_t row = 0; row < 2; row++) {
		for (size_t column = 0; column < 4; column++) {
			add(result, row, column, 0.995 * medians[column]);
			add(result, row, column, 1.005 * medians[column]);
		}
	}
	return result;
}

static void verdict_names_what_is_beyond_the_noise(void **state)
{
	struct result *result = create_compared(500, 1002);
	double difference, noise;
	char *text;

	(void)state;
	assert_int_equal(verdict_baseline(result), 1);
	verdict_compare(result, 0, 2, &difference, &noise);
	assert_true(fabs(difference + 0.5) < 1e-9);
	/* Each cell spreads by 0.5 % around its mean, two values of it: s = 0.71 %; t for 0.5 % and
	 * 4 degrees is 5.598: so 4.04 %. */
	assert_true(fabs(noise - expm1(5.5976 * sqrt(2) * 0.005)) < 1e-5);
	text = print(result, 100, false);
	assert_has(text,
		   "noise: tcp-recv 4.0 %, udp-recv 4.0 % (smaller differences say nothing)\n");
	assert_has(text, "libc and libc again do not differ beyond the noise\n"
			 "compared with libc, beyond the noise:\n"
			 "  byte: tcp-recv -50.0 %, udp-recv -50.0 %\n"
			 "  no difference: iperf3\n");
	free(text);
	result_destroy(result);
}

/* A noise of 4.04 % above is one of 3.88 % below: a over b says what b over a does. */
static void verdict_is_the_same_both_ways(void **state)
{
	struct result *result = create_compared(960, 1040);
	char *text;

	(void)state;
	text = print(result, 100, false);
	assert_has(text, "  byte: tcp-recv -4.0 %, udp-recv -4.0 %\n");
	assert_has(text, "libc and libc again do not differ beyond the noise\n");
	free(text);
	result_destroy(result);
}

static void verdict_distrusts_a_run_in_which_equals_differ(void **state)
{
	struct result *result = create_compared(1000, 1100);
	char *text;

	(void)state;
	text = print(result, 100, false);
	assert_has(text,
		   "  libc again: tcp-recv +10.0 %, udp-recv +10.0 %\n"
		   "libc and libc again are the same and yet differ beyond the noise (above): "
		   "do not trust this run\n");
	assert_has(text, "  no difference: iperf3, byte\n");
	free(text);
	result_destroy(result);
}

static void verdict_compares_with_what_is_there(void **state)
{
	static const struct {
		struct shape shape;
		size_t baseline;
	} cases[] = {
		{ { .columns = { "iperf3", "byte", "byte again" } }, 1 },
		{ { .columns = { "iperf3", "byte", "libc" } }, 2 },
		{ { .columns = { "iperf3", "byte" } }, 0 },
		{ { .columns = { "libc", "libc againx", "iperf3", "iperf3 again" } }, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result *result = create(&cases[i].shape);

		if (verdict_baseline(result) != cases[i].baseline)
			fail_msg("case %zu: column %zu", i, verdict_baseline(result));
		result_destroy(result);
	}
}

/* -- counts --------------------------------------------------------------------------------- */

/* Two kernels of 2021 and one that was not published, tcp-recv alone. */
static struct result *create_counts(const char *second)
{
	static const char *const kernels[] = { "linux+usercopy-bytes", NULL, "fast" };
	static const double cells[] = { 20, 10, 4 }, memcpy_share[] = { 45, 40, 30 };
	json_t *facts = json_pack("{s:s, s:i, s:i}", "kernel", "6.12.1", "runs", 1, "seconds", 2);
	struct result *result = result_create(json_pack("{s:s, s:s, s:b, s:o, s:[]}", "board",
							"a board", "unit", "instructions/byte",
							"partial", 0, "facts", facts, "notes"));
	char id[64];

	assert_non_null(result);
	for (int i = 0; i < 3; i++) {
		const char *kernel = kernels[i] ? kernels[i] : second;

		snprintf(id, sizeof(id), "kernel:%s", kernel);
		assert_int_equal(result_add_column(result, json_pack("{s:s, s:s}", "id", id,
								     "kernel", kernel)),
				 0);
	}
	assert_int_equal(
		result_add_row(result,
			       json_pack("{s:s, s:i, s:i}", "test", "tcp-recv", "mtu_board", 1500,
					 "mtu_peer", 1500),
			       1u << SERIES_KERNEL_PER_BYTE | 1u << SERIES_MISALIGNED_PER_KB |
				       1u << SERIES_MEMCPY_PERCENT | 1u << SERIES_USERCOPY_PERCENT),
		0);
	for (int i = 0; i < 3; i++) {
		struct series **series = result->rows[0].series;

		assert_int_equal(series_add(&series[SERIES_CELLS][i], cells[i]), 0);
		assert_int_equal(series_add(&series[SERIES_KERNEL_PER_BYTE][i], cells[i] - 0.5), 0);
		assert_int_equal(series_add(&series[SERIES_MISALIGNED_PER_KB][i], 0.25), 0);
		assert_int_equal(series_add(&series[SERIES_MEMCPY_PERCENT][i], memcpy_share[i]), 0);
		assert_int_equal(series_add(&series[SERIES_USERCOPY_PERCENT][i], 12.5), 0);
	}
	return result;
}

static void counts_have_their_lines_and_their_unit(void **state)
{
	struct result *result = create_counts("asm-shift+usercopy-words");
	char *text = print(result, 100, false);

	(void)state;
	assert_has(text, "\n"
			 "                    kernel:linux  kernel:asm-shift             \n"
			 "                 +usercopy-bytes   +usercopy-words  kernel:fast\n"
			 "tcp-recv                    20.0              10.0         4.00  "
			 "instructions/byte\n"
			 "  in the kernel             19.5              9.50         3.50\n"
			 "  misaligned/kB              0.2               0.2          0.2\n"
			 "  memcpy %                  45.0              40.0         30.0\n"
			 "  user copy %               12.5              12.5         12.5\n");
	assert_lacks(text, "Mbit/s\n");
	free(text);
	result_destroy(result);
}

/* 2021: medians of 686 and 904 Mbit/s; shares of 40.4 and 33.09 %. */
static void counts_stand_beside_what_was_published(void **state)
{
	struct result *result = create_counts("asm-shift+usercopy-words");
	char *text = print(result, 100, false);

	(void)state;
	assert_has(text, "each against linux+usercopy-bytes:\n"
			 "               fewer instructions    more Mbit/s published\n"
			 "  asm-shift+usercopy-words\n"
			 "    tcp-recv       2.00 times             1.32 times\n");
	assert_has(text, "  linux+usercopy-bytes\n"
			 "    tcp-recv       45.0       40.4           12.5       33.1\n");
	assert_has(text, "Counts do not show what a cache, a TLB or a trap costs");
	free(text);
	result_destroy(result);
	/* Of these two nothing was published but the shares of the first. */
	result = create_counts("linux-shift+usercopy-shift");
	text = print(result, 100, false);
	assert_lacks(text, "fewer instructions");
	assert_has(text, "    tcp-recv       45.0       40.4           12.5       33.1\n");
	free(text);
	result_destroy(result);
	/* Of times nothing is said there, whatever the columns are called. */
	result = create_counts("asm-shift+usercopy-words");
	json_object_set_new(result->head, "unit", json_string("Mbit/s"));
	text = print(result, 100, false);
	assert_lacks(text, "published");
	free(text);
	result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_stand_under_their_columns),
		cmocka_unit_test(one_run_has_no_range_and_no_noise),
		cmocka_unit_test(columns_that_do_not_fit_go_into_blocks),
		cmocka_unit_test(what_is_missing_is_said),
		cmocka_unit_test(mtus_that_differ_are_told),
		cmocka_unit_test(verdict_names_what_is_beyond_the_noise),
		cmocka_unit_test(verdict_is_the_same_both_ways),
		cmocka_unit_test(verdict_distrusts_a_run_in_which_equals_differ),
		cmocka_unit_test(verdict_compares_with_what_is_there),
		cmocka_unit_test(counts_have_their_lines_and_their_unit),
		cmocka_unit_test(counts_stand_beside_what_was_published),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
