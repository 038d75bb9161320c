/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Table: cells are written as text first, so that each column is as wide as its widest; then as
 * many columns as fit a line make a block. Under a median stand the lowest and highest of its
 * samples, for UDP the loss, and if asked for the CPU time and the time in the routine; where the
 * board counted, what the instructions were spent on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/measure/beside.h"
#include "harness/measure/load.h"
#include "harness/measure/statistics.h"
#include "harness/measure/table.h"
#include "harness/measure/verdict.h"

#define GAP	  2 /* blanks between columns */
#define CELL_SIZE 32

/* The lines of a row, from top to bottom. */
enum line {
	LINE_MEDIAN,
	LINE_RANGE,
	LINE_LOSS,
	LINE_CPU,
	LINE_COPY,
	LINE_KERNEL,
	LINE_MISALIGNED,
	LINE_MEMCPY,
	LINE_USERCOPY,
	LINES
};

static const struct {
	const char *label; /* NULL: the test's name */
	enum result_series series;
	int decimals;  /* -1: by the size of the figure */
	bool with_cpu; /* only shown with the option cpu */
} lines[LINES] = {
	[LINE_MEDIAN] = { NULL, SERIES_CELLS, -1, false },
	[LINE_RANGE] = { "", SERIES_CELLS, -1, false },
	[LINE_LOSS] = { "  loss %", SERIES_LOSS, 2, false },
	[LINE_CPU] = { "  CPU s/GB", SERIES_CPU_S_PER_GB, 3, true },
	[LINE_COPY] = { "  copy ns/B", SERIES_COPY_NS_PER_BYTE, 4, true },
	[LINE_KERNEL] = { "  in the kernel", SERIES_KERNEL_PER_BYTE, -1, false },
	[LINE_MISALIGNED] = { "  misaligned/kB", SERIES_MISALIGNED_PER_KB, 1, false },
	[LINE_MEMCPY] = { "  memcpy %", SERIES_MEMCPY_PERCENT, 1, false },
	[LINE_USERCOPY] = { "  user copy %", SERIES_USERCOPY_PERCENT, 1, false },
};

/* Characters on the screen: UTF-8 bytes that go on with a character have none. */
static size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

/* Three digits or more of a figure are worth printing, not its thousandths. */
static void format_figure(char *text, size_t size, double value, int decimals)
{
	if (decimals < 0)
		decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
	snprintf(text, size, "%.*f", decimals, value);
}

static bool cell_has_failed(const struct result *result, const struct result_row *row,
			    size_t column)
{
	size_t i;
	json_t *failure;

	json_array_foreach (json_object_get(row->fields, "failed"), i, failure) {
		const char *id = json_string_value(json_object_get(failure, "column"));

		if (id && !strcmp(id, result->columns[column].id))
			return true;
	}
	return false;
}

static void format_cell(const struct result *result, const struct result_row *row, size_t column,
			enum line line, char text[CELL_SIZE])
{
	const struct series *cell = &row->series[lines[line].series][column];
	char low[CELL_SIZE / 2], high[CELL_SIZE / 2];

	*text = '\0';
	if (!cell->count) {
		if (line == LINE_MEDIAN)
			strcpy(text, cell_has_failed(result, row, column) ? "failed" : "-");
		return;
	}
	if (line != LINE_RANGE) {
		format_figure(text, CELL_SIZE, statistics_median(cell->values, cell->count),
			      lines[line].decimals);
	} else if (cell->count >= 2) {
		format_figure(low, sizeof(low), statistics_quantile(cell->values, cell->count, 0),
			      -1);
		format_figure(high, sizeof(high), statistics_quantile(cell->values, cell->count, 1),
			      -1);
		snprintf(text, CELL_SIZE, "[%.12s-%.12s]", low, high);
	}
}

/* Lines in which no column has anything are left out. */
static bool row_has_line(const struct result_row *row, enum line line, size_t columns,
			 const struct table_options *options)
{
	const struct series *series = row->series[lines[line].series];

	if (line == LINE_MEDIAN)
		return true;
	if (!series || (lines[line].with_cpu && !options->cpu))
		return false;
	for (size_t i = 0; i < columns; i++)
		if (series[i].count >= (line == LINE_RANGE ? 2 : 1))
			return true;
	return false;
}

/*
 * The head of a column takes several lines where it is the name of a kernel, which has parts:
 * before each + one ends. Returns the bytes of the part with this number, 0 beyond the last; *part
 * is where it begins.
 */
static size_t head_part(const char *id, size_t number, const char **part)
{
	bool splits = !strncmp(id, "kernel:", strlen("kernel:"));

	for (*part = id; **part; number--) {
		size_t length = splits ? 1 + strcspn(*part + 1, "+") : strlen(*part);

		if (!number)
			return length;
		*part += length;
	}
	return 0;
}

static size_t head_parts(const char *id)
{
	const char *part;
	size_t parts = 0;

	while (head_part(id, parts, &part))
		parts++;
	return parts;
}

static size_t head_width(const char *id)
{
	size_t width = 0, length;
	const char *part;

	if (head_parts(id) == 1)
		return text_width(id);
	for (size_t i = 0; (length = head_part(id, i, &part)); i++)
		width = length > width ? length : width;
	return width;
}

/* The parts stand on the last lines, so that all heads end where the figures begin. */
static void print_heads(FILE *out, const struct result *result, size_t first, size_t end,
			const size_t *widths, size_t labels)
{
	size_t height = 1;

	for (size_t i = first; i < end; i++)
		if (head_parts(result->columns[i].id) > height)
			height = head_parts(result->columns[i].id);
	for (size_t line = 0; line < height; line++) {
		fprintf(out, "\n%*s", (int)labels, "");
		for (size_t i = first; i < end; i++) {
			const char *id = result->columns[i].id, *part;
			size_t missing = height - head_parts(id);
			size_t length = line < missing ? 0 : head_part(id, line - missing, &part);
			size_t width = head_parts(id) == 1 && length ? text_width(id) : length;

			fprintf(out, "%*s%.*s", (int)(widths[i] - width), "", (int)length,
				length ? part : "");
		}
	}
	fputc('\n', out);
}

static size_t column_width(const struct result *result, size_t column,
			   const struct table_options *options)
{
	size_t width = head_width(result->columns[column].id);
	char text[CELL_SIZE];

	for (size_t i = 0; i < result->row_count; i++) {
		for (enum line line = 0; line < LINES; line++) {
			if (!row_has_line(&result->rows[i], line, result->column_count, options))
				continue;
			format_cell(result, &result->rows[i], column, line, text);
			width = strlen(text) > width ? strlen(text) : width;
		}
	}
	return width + GAP;
}

static size_t label_width(const struct result *result, const struct table_options *options)
{
	size_t width = 0;

	for (size_t i = 0; i < result->row_count; i++) {
		for (enum line line = 0; line < LINES; line++) {
			const char *label = lines[line].label;
			size_t of_line;

			if (!row_has_line(&result->rows[i], line, result->column_count, options))
				continue;
			of_line = text_width(label ? label
						   : result_row_text(&result->rows[i], "test"));
			width = of_line > width ? of_line : width;
		}
	}
	return width;
}

static void print_row(FILE *out, const struct result *result, const struct result_row *row,
		      size_t first, size_t end, const size_t *widths, size_t labels,
		      const struct table_options *options)
{
	char text[CELL_SIZE];

	for (enum line line = 0; line < LINES; line++) {
		if (!row_has_line(row, line, result->column_count, options))
			continue;
		fprintf(out, "%-*s", (int)labels,
			lines[line].label ? lines[line].label : result_row_text(row, "test"));
		for (size_t i = first; i < end; i++) {
			format_cell(result, row, i, line, text);
			fprintf(out, "%*s", (int)widths[i], text);
		}
		fprintf(out, "%s%s\n", line == LINE_MEDIAN ? "  " : "",
			line == LINE_MEDIAN ? result_text(result, "unit") : "");
	}
}

static void print_blocks(FILE *out, const struct result *result, const size_t *widths,
			 const struct table_options *options)
{
	size_t labels = label_width(result, options);
	size_t room = options->width - strlen("  ") - text_width(result_text(result, "unit"));
	size_t end;

	for (size_t first = 0; first < result->column_count; first = end) {
		size_t used = labels;

		for (end = first; end < result->column_count; end++) {
			used += widths[end];
			if (end > first && used > room)
				break;
		}
		print_heads(out, result, first, end, widths, labels);
		for (size_t i = 0; i < result->row_count; i++)
			print_row(out, result, &result->rows[i], first, end, widths, labels,
				  options);
	}
}

/* -- the head ------------------------------------------------------------------------------- */

/* Writes the parts with dots between them, into as many lines as they need. */
static void print_parts(FILE *out, char parts[][96], size_t count, size_t width)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		size_t more = text_width(parts[i]);

		if (used && used + 3 + more > width) {
			fputc('\n', out);
			used = 0;
		}
		used += (used ? 3 : 0) + more;
		fprintf(out, "%s%s", used > more ? " · " : "", parts[i]);
	}
	fputc('\n', out);
}

static json_int_t whole_in(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void describe_mtu(const struct result *result, char *text, size_t size)
{
	json_int_t first = whole_in(result->rows[0].fields, "mtu_board");
	size_t used = (size_t)snprintf(text, size, "MTU %lld", (long long)first);
	bool one = true;

	for (size_t i = 0; i < result->row_count; i++)
		one = one && whole_in(result->rows[i].fields, "mtu_board") == first &&
		      whole_in(result->rows[i].fields, "mtu_peer") == first;
	if (one)
		return;
	used = (size_t)snprintf(text, size, "MTU board/peer");
	for (size_t i = 0; i < result->row_count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s %lld/%lld", i ? "," : "",
					 (long long)whole_in(result->rows[i].fields, "mtu_board"),
					 (long long)whole_in(result->rows[i].fields, "mtu_peer"));
}

static void print_head(FILE *out, const struct result *result, size_t width)
{
	const json_t *facts = json_object_get(result->head, "facts");
	char parts[9][96];
	json_int_t runs = whole_in(facts, "runs");

	snprintf(parts[0], sizeof(parts[0]), "%s", result_text(result, "board"));
	snprintf(parts[1], sizeof(parts[1]), "Linux %s", result_fact(result, "kernel"));
	snprintf(parts[2], sizeof(parts[2]), "iperf3 %s", result_fact(result, "iperf3"));
	snprintf(parts[3], sizeof(parts[3]), "netbench %s", result_fact(result, "netbench"));
	describe_mtu(result, parts[4], sizeof(parts[4]));
	snprintf(parts[5], sizeof(parts[5]), "%s, %s", result_fact(result, "path"),
		 result_fact(result, "congestion"));
	snprintf(parts[6], sizeof(parts[6]), "%lld %s of %lld s", (long long)runs,
		 runs == 1 ? "run" : "runs", (long long)whole_in(facts, "seconds"));
	snprintf(parts[7], sizeof(parts[7]), runs == 1 ? "one figure a cell" : "median [low-high]");
	snprintf(parts[8], sizeof(parts[8]), "seed %lld", (long long)whole_in(facts, "seed"));
	print_parts(out, parts, 9, width);
}

/* A figure of the facts; 0 if it is not told. */
static double fact_number(const struct result *result, const char *key)
{
	return json_number_value(json_object_get(json_object_get(result->head, "facts"), key));
}

/* What other programs used during the run, or if that is not told, before it. */
static void print_busy(FILE *out, const struct result *result)
{
	bool told = json_object_get(json_object_get(result->head, "facts"), "others_percent");
	double others = fact_number(result, told ? "others_percent" : "busy_percent");
	double stolen = fact_number(result, "stolen_percent");

	if (others >= LOAD_BUSY_PERCENT)
		fprintf(out, "BUSY: other programs used %.0f %% of the CPUs %s: do not trust it\n",
			others, told ? "during the run" : "when the run began");
	if (stolen >= LOAD_BUSY_PERCENT)
		fprintf(out, "BUSY: the hypervisor withheld %.0f %% of the CPUs: do not trust it\n",
			stolen);
}

static void print_warnings(FILE *out, const struct result *result)
{
	size_t i;
	json_t *note;

	if (json_is_true(json_object_get(result->head, "partial")))
		fputs("PARTIAL: the run was interrupted; these are the cells measured until then\n",
		      out);
	print_busy(out, result);
	json_array_foreach (json_object_get(result->head, "notes"), i, note)
		fprintf(out, "note: %s\n", json_string_value(note));
}

static void print_symbols(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const json_t *texts = json_object_get(result->rows[i].fields, "symbols");

		for (size_t j = 0; j < result->column_count; j++) {
			const char *text = json_string_value(json_array_get(texts, j));

			if (text)
				fprintf(out, "%s under %s, %% of the instructions:\n  %s\n",
					result_row_text(&result->rows[i], "test"),
					result->columns[j].id, text);
		}
	}
}

static void print_failures(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < result->row_count; i++) {
		size_t j;
		json_t *failure;

		json_array_foreach (json_object_get(result->rows[i].fields, "failed"), j, failure)
			fprintf(out, "failed: %s under %s, run %lld: %s\n",
				result_row_text(&result->rows[i], "test"),
				json_string_value(json_object_get(failure, "column")),
				(long long)whole_in(failure, "run"),
				json_string_value(json_object_get(failure, "message")));
	}
}

void table_print(FILE *out, const struct result *result, const struct table_options *options)
{
	size_t *widths = calloc(result->column_count, sizeof(*widths));

	if (!widths || !result->row_count) {
		free(widths);
		return;
	}
	for (size_t i = 0; i < result->column_count; i++)
		widths[i] = column_width(result, i, options);
	print_head(out, result, options->width);
	print_warnings(out, result);
	print_blocks(out, result, widths, options);
	fputc('\n', out);
	print_failures(out, result);
	if (options->symbols)
		print_symbols(out, result);
	verdict_print(out, result, options->width);
	beside_print(out, result, options->width);
	free(widths);
}
