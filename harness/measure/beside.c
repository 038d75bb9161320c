/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Beside: the published files of 2021 are part of this program. A column of theirs and one of ours
 * belong together if they have the same routines, which a kernel's name tells: MEMCPY+USERCOPY.
 */
#include "harness/measure/beside.h"

#include <stdlib.h>
#include <string.h>

#include "harness/measure/statistics.h"

#define FILE_TEXT(name, file)                                                            \
	__asm__(".section .rodata\n" #name ":\n.incbin \"results/published/" file "\"\n" \
		".byte 0\n.previous\n");                                                 \
	extern const char name[]

FILE_TEXT(beside_iperf3, "2021-beaglev-iperf3.json");
FILE_TEXT(beside_profile, "2021-beaglev-usercopy-profile.json");

static struct result *load(const char *text)
{
	json_t *root = json_loads(text, 0, NULL);
	struct reason ignored; /* the tests read the same files */
	struct result *result = root ? result_from_json(root, &ignored) : NULL;

	json_decref(root);
	return result;
}

static const char *column_text(const struct result *result, size_t column, const char *key)
{
	const char *text = json_string_value(json_object_get(result->columns[column].fields, key));

	return text ? text : "";
}

/* The column of ours whose kernel has the routines of a published one; -1: there is none. */
static int find_column(const struct result *ours, const struct result *published, size_t column)
{
	char name[128];

	snprintf(name, sizeof(name), "%s+%s", column_text(published, column, "memcpy"),
		 column_text(published, column, "usercopy"));
	for (size_t i = 0; i < ours->column_count; i++)
		if (!strcmp(column_text(ours, i, "kernel"), name))
			return (int)i;
	return -1;
}

/* key NULL: a row without one. */
static const struct result_row *find_row(const struct result *result, const char *test,
					 const char *key)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (!strcmp(result_row_text(&result->rows[i], "test"), test) &&
		    !strcmp(result_row_text(&result->rows[i], "key"), key ? key : ""))
			return &result->rows[i];
	return NULL;
}

/* The median of a cell; 0: it has no figure. */
static double median(const struct result_row *row, enum result_series series, size_t column)
{
	const struct series *cell =
		row && row->series[series] ? &row->series[series][column] : NULL;

	return cell && cell->count ? statistics_median(cell->values, cell->count) : 0;
}

static void print_ratios_of(FILE *out, const struct result *ours, const struct result *published,
			    size_t column, int base, int mine)
{
	fprintf(out, "  %s\n", column_text(ours, (size_t)mine, "kernel"));
	for (size_t i = 0; i < ours->row_count; i++) {
		const char *test = result_row_text(&ours->rows[i], "test");
		const struct result_row *theirs = find_row(published, test, NULL);
		double from = median(&ours->rows[i], SERIES_CELLS, (size_t)base);
		double to = median(&ours->rows[i], SERIES_CELLS, (size_t)mine);
		double was = median(theirs, SERIES_CELLS, 0);
		double is = median(theirs, SERIES_CELLS, column);

		if (from > 0 && to > 0 && was > 0 && is > 0)
			fprintf(out, "    %-10s %8.2f times %16.2f times\n", test, from / to,
				is / was);
	}
}

static bool print_ratios(FILE *out, const struct result *ours)
{
	struct result *published = load(beside_iperf3);
	int base = published ? find_column(ours, published, 0) : -1;
	bool headed = false;

	for (size_t i = 1; base >= 0 && i < published->column_count; i++) {
		int mine = find_column(ours, published, i);

		if (mine < 0)
			continue;
		if (!headed)
			fprintf(out,
				"\nbeside %s, 2021,\neach against %s:\n"
				"               fewer instructions    more Mbit/s published\n",
				result_text(published, "board"),
				column_text(ours, (size_t)base, "kernel"));
		headed = true;
		print_ratios_of(out, ours, published, i, base, mine);
	}
	result_destroy(published);
	return headed;
}

static void print_shares_of(FILE *out, const struct result *ours, const struct result *published,
			    size_t column, int mine)
{
	fprintf(out, "  %s\n", column_text(ours, (size_t)mine, "kernel"));
	for (size_t i = 0; i < ours->row_count; i++) {
		const char *test = result_row_text(&ours->rows[i], "test");
		const struct result_row *row = &ours->rows[i];

		if (!row->series[SERIES_MEMCPY_PERCENT] ||
		    !row->series[SERIES_MEMCPY_PERCENT][mine].count)
			continue;
		fprintf(out, "    %-10s %8.1f %10.1f %14.1f %10.1f\n", test,
			median(row, SERIES_MEMCPY_PERCENT, (size_t)mine),
			median(find_row(published, test, "memcpy"), SERIES_CELLS, column),
			median(row, SERIES_USERCOPY_PERCENT, (size_t)mine),
			median(find_row(published, test, "usercopy"), SERIES_CELLS, column));
	}
}

static bool print_shares(FILE *out, const struct result *ours)
{
	struct result *published = load(beside_profile);
	bool headed = false;

	for (size_t i = 0; published && i < published->column_count; i++) {
		int mine = find_column(ours, published, i);

		if (mine < 0)
			continue;
		if (!headed)
			fputs("\nshares, % of the instructions here, of the time as published:\n"
			      "                    memcpy                 user copy\n"
			      "                 here  published           here  published\n",
			      out);
		headed = true;
		print_shares_of(out, ours, published, i, mine);
	}
	result_destroy(published);
	return headed;
}

void beside_print(FILE *out, const struct result *result, size_t width)
{
	bool any;

	(void)width;
	if (strcmp(result_text(result, "unit"), "instructions/byte") != 0)
		return;
	any = print_ratios(out, result);
	any = print_shares(out, result) || any;
	if (any)
		fputs("Counts do not show what a cache, a TLB or a trap costs, nor that the wire "
		      "of "
		      "2021 ended at\n1 Gbit/s (941 Mbit/s of TCP): 904 of it was near that end.\n",
		      out);
}
