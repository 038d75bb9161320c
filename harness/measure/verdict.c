/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Verdict: the noise of a test comes from the pooled spread of its repeats (statistics.h). In one
 * run out of a hundred, one of its tests at least calls two equal columns different: so each test
 * may do that with a probability of 1 % divided by their number.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/statistics.h"
#include "harness/measure/verdict.h"

static const char again_suffix[] = " again";

/* Is b the column a once more? */
static bool is_again(const struct result *result, size_t a, size_t b)
{
	size_t length = strlen(result->columns[a].id);

	return !strncmp(result->columns[b].id, result->columns[a].id, length) &&
	       !strcmp(result->columns[b].id + length, again_suffix);
}

size_t verdict_baseline(const struct result *result)
{
	for (size_t a = 0; a < result->column_count; a++)
		for (size_t b = 0; b < result->column_count; b++)
			if (is_again(result, a, b))
				return a;
	for (size_t i = 0; i < result->column_count; i++)
		if (!strcmp(result->columns[i].id, "libc"))
			return i;
	return 0;
}

static struct spread row_spread(const struct result *result, size_t row)
{
	struct spread spread = { 0 };

	for (size_t i = 0; i < result->column_count; i++)
		spread_add(&spread, result->rows[row].series[SERIES_CELLS][i].values,
			   result->rows[row].series[SERIES_CELLS][i].count);
	return spread;
}

void verdict_compare(const struct result *result, size_t row, size_t column, double *difference,
		     double *noise)
{
	const struct series *cell = &result->rows[row].series[SERIES_CELLS][column];
	const struct series *base =
		&result->rows[row].series[SERIES_CELLS][verdict_baseline(result)];
	struct spread spread = row_spread(result, row);

	*difference = statistics_median(cell->values, cell->count) /
			      statistics_median(base->values, base->count) -
		      1;
	*noise = spread_noise(&spread, cell->count, base->count,
			      STATISTICS_FALSE_ALARM / (double)result->row_count);
}

/* -- in words ------------------------------------------------------------------------------- */

/* Pieces of text, in lines that are not longer than width; later lines are indented. */
struct lines {
	FILE *out;
	size_t width, indent, used;
};

static void add_piece(struct lines *lines, const char *piece)
{
	if (lines->used + 1 + strlen(piece) + 1 > lines->width) { /* and a comma */
		fprintf(lines->out, "\n%*s", (int)lines->indent, "");
		lines->used = lines->indent;
	} else if (lines->used) {
		fputc(' ', lines->out);
		lines->used++;
	}
	fputs(piece, lines->out);
	lines->used += strlen(piece);
}

/* A sentence, which may be broken at every blank. */
static void add_words(struct lines *lines, const char *text)
{
	char word[96];

	while (*text) {
		size_t length = strcspn(text, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, text);
		add_piece(lines, word);
		text += length;
		text += strspn(text, " ");
	}
}

/* Between two pieces of a list. */
static void add_comma(struct lines *lines)
{
	fputc(',', lines->out);
	lines->used++;
}

static void end_lines(struct lines *lines)
{
	fputc('\n', lines->out);
	lines->used = 0;
}

/* The noise between two cells that have all their repeats. */
static bool print_noise(struct lines *lines, const struct result *result)
{
	bool known = false;
	char piece[96], percent[32];

	for (size_t i = 0; i < result->row_count; i++) {
		struct spread spread = row_spread(result, i);
		size_t repeats = 0;
		double noise;

		for (size_t j = 0; j < result->column_count; j++)
			if (result->rows[i].series[SERIES_CELLS][j].count > repeats)
				repeats = result->rows[i].series[SERIES_CELLS][j].count;
		noise = spread_noise(&spread, repeats, repeats,
				     STATISTICS_FALSE_ALARM / (double)result->row_count);
		if (isnan(noise))
			continue;
		if (known)
			add_comma(lines);
		else
			add_piece(lines, "noise:");
		known = true;
		if (noise < 1)
			snprintf(percent, sizeof(percent), "%.1f", 100 * noise);
		else
			snprintf(percent, sizeof(percent), "over 100");
		snprintf(piece, sizeof(piece), "%s %s %%",
			 result_row_text(&result->rows[i], "test"), percent);
		add_piece(lines, piece);
	}
	if (known)
		add_piece(lines, "(smaller differences say nothing)");
	else
		add_piece(
			lines,
			"noise: not known, since no cell was repeated; --runs 2 or more tells it");
	end_lines(lines);
	return known;
}

/* The column's differences beyond the noise; returns how many, counting in *compared the tests. */
static size_t print_differences(struct lines *lines, const struct result *result, size_t column,
				size_t *compared)
{
	size_t beyond = 0;
	char piece[96];

	*compared = 0;
	for (size_t i = 0; i < result->row_count; i++) {
		double difference, noise;

		verdict_compare(result, i, column, &difference, &noise);
		if (isnan(difference) || isnan(noise))
			continue;
		++*compared;
		/* By ratio: a twice b says as much as b half a. */
		if (fabs(log1p(difference)) <= log1p(noise))
			continue;
		if (beyond++) {
			add_comma(lines);
		} else {
			snprintf(piece, sizeof(piece), "  %s:", result->columns[column].id);
			add_piece(lines, piece);
		}
		snprintf(piece, sizeof(piece), "%s %+.1f %%",
			 result_row_text(&result->rows[i], "test"), 100 * difference);
		add_piece(lines, piece);
	}
	if (beyond)
		end_lines(lines);
	return beyond;
}

/* The same column twice: what it tells of the noise. */
static void print_again(struct lines *lines, const struct result *result, size_t baseline)
{
	for (size_t i = 0; i < result->column_count; i++) {
		size_t compared, beyond;
		char names[192];

		if (!is_again(result, baseline, i))
			continue;
		beyond = print_differences(lines, result, i, &compared);
		if (!compared)
			continue;
		snprintf(names, sizeof(names), "%s and %s", result->columns[baseline].id,
			 result->columns[i].id);
		add_words(lines, names);
		add_words(lines,
			  beyond ? "are the same and yet differ beyond the noise (above): do not "
				   "trust this run"
				 : "do not differ beyond the noise");
		end_lines(lines);
	}
}

/* Lists the columns that were compared and are all within the noise. */
static void print_alike(struct lines *lines, const struct result *result, const bool *alike)
{
	bool headed = false;

	for (size_t i = 0; i < result->column_count; i++) {
		if (!alike[i])
			continue;
		if (headed)
			add_comma(lines);
		else
			add_piece(lines, "  no difference:");
		headed = true;
		add_piece(lines, result->columns[i].id);
	}
	if (headed)
		end_lines(lines);
}

void verdict_print(FILE *out, const struct result *result, size_t width)
{
	struct lines lines = { .out = out, .width = width, .indent = 4 };
	size_t baseline = verdict_baseline(result);
	bool *alike = calloc(result->column_count, sizeof(*alike));
	bool headed = false;

	if (!alike || !print_noise(&lines, result)) {
		free(alike);
		return;
	}
	print_again(&lines, result, baseline);
	for (size_t i = 0; i < result->column_count; i++) {
		size_t compared;

		if (i == baseline || is_again(result, baseline, i))
			continue;
		if (!headed)
			fprintf(out, "compared with %s, beyond the noise:\n",
				result->columns[baseline].id);
		headed = true;
		alike[i] = !print_differences(&lines, result, i, &compared) && compared;
	}
	print_alike(&lines, result, alike);
	free(alike);
}
