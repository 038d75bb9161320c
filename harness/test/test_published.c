/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The published figures: every file is valid, and has the figures of its source. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "harness/measure/result.h"

static void published_files_are_valid(void **state)
{
	glob_t files;

	(void)state;
	assert_int_equal(glob("results/published/*.json", 0, NULL, &files), 0);
	assert_int_equal(files.gl_pathc, 7);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct reason reason;
		struct result *result = result_read(files.gl_pathv[i], &reason);
		char name[256];

		if (!result)
			fail_msg("%s", reason.text);
		assert_string_equal(result_text(result, "kind"), "published");
		snprintf(name, sizeof(name), "results/published/%s.json",
			 result_text(result, "name"));
		assert_string_equal(name, files.gl_pathv[i]);
		result_destroy(result);
	}
	globfree(&files);
}

/* Figures as the sources give them, one or more of each file. */
static const struct figure {
	const char *file, *test, *key, *unit, *board; /* NULL: not told in the row */
	json_int_t size_bytes;			      /* 0: not told in the row */
	const char *column;
	double samples[3]; /* up to the first 0 */
} figures[] = {
	{ "2021-beaglev-iperf3", "tcp-recv", NULL, NULL, NULL, 0, "asm-shift", { 904, 898, 905 } },
	{ "2021-beaglev-iperf3", "udp-recv", NULL, NULL, NULL, 0, "baseline", { 630, 730 } },
	{ "2021-beaglev-memcpy-matrix", NULL, "misaligned", NULL, NULL, 0, "linux", { 113, 118 } },
	{ "2021-beaglev-memcpy-matrix", "tcp-recv", NULL, "Mbit/s", NULL, 0, "c-shift", { 894 } },
	{ "2021-beaglev-memcpy-matrix",
	  NULL,
	  "memset",
	  NULL,
	  NULL,
	  0,
	  "c-shift, 8x unrolled",
	  { 274, 274 } },
	{ "2021-beaglev-usercopy-profile",
	  "udp-recv",
	  "memcpy",
	  NULL,
	  NULL,
	  0,
	  "after",
	  { 55.62 } },
	{ "2021-beaglev-usercopy-profile",
	  "tcp-recv",
	  "usercopy",
	  NULL,
	  NULL,
	  0,
	  "before",
	  { 33.09 } },
	{ "2021-beaglev-usercopy-profile",
	  "udp-recv",
	  "throughput",
	  "Mbit/s",
	  NULL,
	  0,
	  "after",
	  { 787, 784 } },
	{ "2021-usercopy-microbench",
	  NULL,
	  "write, offset 1-7",
	  NULL,
	  NULL,
	  32768,
	  "after",
	  { 917 } },
	{ "2021-usercopy-microbench",
	  NULL,
	  "read, offset 0",
	  NULL,
	  NULL,
	  16384,
	  "before",
	  { 1792 } },
	{ "2024-string-c-userspace",
	  NULL,
	  "aligned",
	  NULL,
	  "JH7110 (U74, 1.5 GHz)",
	  32,
	  "before",
	  { 0.65 } },
	{ "2024-string-c-userspace",
	  NULL,
	  "unaligned (src+1, dst+3)",
	  NULL,
	  "CV1800B (C906)",
	  512,
	  "c-unroll-unaligned",
	  { 1.46 } },
	{ "2024-string-c-userspace",
	  NULL,
	  "random",
	  NULL,
	  "TH1520 (C910, 750 MHz)",
	  0,
	  "c-unroll",
	  { 0.24 } },
	{ "2024-string-c-userspace",
	  NULL,
	  "large",
	  NULL,
	  "JH7110 (U74, 1.5 GHz)",
	  65536,
	  "c-unroll-unaligned",
	  { 0 } },
	{ "2026-megrez-udp-rx", "udp-recv", NULL, NULL, NULL, 512, "linux-shift", { 203.6 } },
	{ "2026-p550-memcpy", NULL, "unaligned", NULL, NULL, 0, "linux", { 332 } },
	{ "2026-p550-memcpy", NULL, "unaligned", "ms", NULL, 0, "linux-shift", { 519 } },
};

static bool row_is(const struct result_row *row, const struct figure *figure)
{
	const char *const wanted[] = { figure->test, figure->key, figure->unit, figure->board };
	static const char *const keys[] = { "test", "key", "unit", "board" };

	for (int i = 0; i < 4; i++)
		if (strcmp(result_row_text(row, keys[i]), wanted[i] ? wanted[i] : ""))
			return false;
	return json_integer_value(json_object_get(row->fields, "size_bytes")) == figure->size_bytes;
}

static void published_figures_are_those_of_the_sources(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		const struct figure *figure = &figures[i];
		const struct series *cell = NULL;
		struct reason reason;
		struct result *result;
		size_t wanted = 0;
		char path[128];

		snprintf(path, sizeof(path), "results/published/%s.json", figure->file);
		result = result_read(path, &reason);
		if (!result)
			fail_msg("%s", reason.text);
		for (size_t row = 0; row < result->row_count; row++)
			for (size_t column = 0; column < result->column_count; column++)
				if (row_is(&result->rows[row], figure) &&
				    !strcmp(result->columns[column].id, figure->column))
					cell = &result->rows[row].series[SERIES_CELLS][column];
		if (!cell)
			fail_msg("figure %zu, of %s: there is no such cell", i, path);
		while (wanted < 3 && figure->samples[wanted] != 0)
			wanted++;
		if (cell->count != wanted)
			fail_msg("figure %zu, of %s: %zu samples instead of %zu", i, path,
				 cell->count, wanted);
		for (size_t j = 0; j < wanted; j++)
			if (cell->values[j] != figure->samples[j])
				fail_msg("figure %zu, of %s: %g instead of %g", i, path,
					 cell->values[j], figure->samples[j]);
		result_destroy(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_files_are_valid),
		cmocka_unit_test(published_figures_are_those_of_the_sources),
	};

	return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
