/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Schema: each object of a result file has a table of its fields below; what holds between fields
 * (as many cells as columns) is checked by the code that follows it. New in the schema means: a row
 * in a table and a line in results/README.md.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/measure/column.h"
#include "harness/measure/result.h"
#include "harness/measure/schema.h"
#include "harness/measure/schema_fields.h"

static const struct field head_fields[] = {
	{ "schema", FIELD_TEXT, REQUIRED },
	{ "kind", FIELD_TEXT, REQUIRED },
	{ "name", FIELD_TEXT, REQUIRED },
	{ "source", FIELD_TEXT, REQUIRED },
	{ "board", FIELD_TEXT, REQUIRED },
	{ "measures", FIELD_TEXT, OPTIONAL },
	{ "unit", FIELD_TEXT, REQUIRED },
	{ "samples", FIELD_TEXT, OPTIONAL },
	{ "partial", FIELD_BOOLEAN, REQUIRED_OF_NET },
	{ "started", FIELD_TIME, REQUIRED_OF_NET },
	{ "finished", FIELD_TIME, REQUIRED_OF_NET },
	{ "columns", FIELD_ARRAY, REQUIRED },
	{ "rows", FIELD_ARRAY, REQUIRED },
	{ "facts", FIELD_OBJECT, REQUIRED },
	{ "notes", FIELD_TEXTS, REQUIRED },
	{ NULL, 0, 0 },
};

/* Beside the series, which result.h tells. */
static const struct field row_fields[] = {
	{ "test", FIELD_TEXT, REQUIRED_OF_NET },
	{ "key", FIELD_TEXT, OPTIONAL },
	{ "board", FIELD_TEXT, OPTIONAL },
	{ "size_bytes", FIELD_WHOLE, OPTIONAL },
	{ "unit", FIELD_TEXT, OPTIONAL },
	{ "congestion", FIELD_TEXTS_OR_NULL, OPTIONAL },
	{ "symbols", FIELD_TEXTS_OR_NULL, OPTIONAL },
	{ "failed", FIELD_ARRAY, OPTIONAL },
	{ "mtu_board", FIELD_WHOLE, REQUIRED_OF_NET },
	{ "mtu_peer", FIELD_WHOLE, REQUIRED_OF_NET },
	{ "length", FIELD_WHOLE, REQUIRED_OF_NET },
	{ "rate_bits_per_s", FIELD_WHOLE, REQUIRED_OF_NET },
};
#define ROW_FIELDS (sizeof(row_fields) / sizeof(row_fields[0]))

static const struct field failure_fields[] = {
	{ "column", FIELD_TEXT, REQUIRED },
	{ "run", FIELD_WHOLE, REQUIRED },
	{ "message", FIELD_TEXT, REQUIRED },
	{ NULL, 0, 0 },
};

/* Facts may hold more than these. */
static const struct field net_facts[] = {
	{ "machine", FIELD_TEXT, REQUIRED },
	{ "architecture", FIELD_TEXT, REQUIRED },
	{ "cpu", FIELD_TEXT, REQUIRED },
	{ "cpus", FIELD_WHOLE, REQUIRED },
	{ "kernel", FIELD_TEXT, REQUIRED },
	{ "distribution", FIELD_TEXT, REQUIRED },
	{ "governor", FIELD_TEXT, REQUIRED },
	{ "virtualization", FIELD_TEXT, REQUIRED },
	{ "load_1min", FIELD_NUMBER, REQUIRED },
	{ "busy_percent", FIELD_NUMBER, REQUIRED },
	{ "others_percent", FIELD_NUMBER, OPTIONAL },
	{ "stolen_percent", FIELD_NUMBER, OPTIONAL },
	{ "harness", FIELD_TEXT, REQUIRED },
	{ "netbench", FIELD_TEXT, REQUIRED },
	{ "iperf3", FIELD_TEXT, REQUIRED },
	{ "path", FIELD_TEXT, REQUIRED },
	{ "congestion", FIELD_TEXT, REQUIRED },
	{ "runs", FIELD_WHOLE, REQUIRED },
	{ "seconds", FIELD_WHOLE, REQUIRED },
	{ "omit", FIELD_WHOLE, REQUIRED },
	{ "seed", FIELD_WHOLE, REQUIRED },
	{ "board_cpu", FIELD_WHOLE, REQUIRED },
	{ "peer_cpu", FIELD_WHOLE, REQUIRED },
	{ "board_address", FIELD_TEXT, REQUIRED },
	{ "peer_address", FIELD_TEXT, REQUIRED },
	{ "command", FIELD_TEXT, REQUIRED },
	{ NULL, 0, 0 },
};

static const char *const kinds[] = { "net", "copy", "count", "check", "published", NULL };
static const char *const sample_meanings[] = { "samples", "range", "figure", NULL };

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(text, *words))
			return true;
	return false;
}

/* -- columns -------------------------------------------------------------------------------- */

static bool has_column(const struct checking *checking, const char *id, size_t before)
{
	for (size_t i = 0; i < before; i++) {
		const json_t *column = json_array_get(checking->column_array, i);
		const char *other = json_string_value(json_object_get(column, "id"));

		if (other && !strcmp(other, id))
			return true;
	}
	return false;
}

static void check_columns(struct checking *checking)
{
	struct schema_path path;
	size_t i;
	json_t *column;

	if (!checking->columns)
		schema_report(checking, "columns", "empty");
	json_array_foreach (checking->column_array, i, column) {
		const char *id = json_string_value(json_object_get(column, "id"));
		const char *name;
		json_t *value;

		schema_path(&path, "columns[%zu]", i);
		if (!json_is_object(column))
			schema_report(checking, path.text, "no object");
		schema_path(&path, "columns[%zu].id", i);
		if (!id || !*id)
			schema_report(checking, path.text, "no string with something in it");
		else if (has_column(checking, id, i))
			schema_report(checking, path.text, "\"%s\" is there twice", id);
		json_object_foreach (column, name, value) {
			schema_path(&path, "columns[%zu].%.60s", i, name);
			if (json_is_object(value) || json_is_array(value))
				schema_report(checking, path.text,
					      "neither string, number, boolean nor null");
		}
	}
}

/* -- rows ----------------------------------------------------------------------------------- */

/* One array of samples a column. like: the cells, so that a column has as many samples or none. */
static void check_series(struct checking *checking, const char *path, const json_t *series,
			 const json_t *like, double highest)
{
	struct schema_path item;
	size_t i, j;
	json_t *samples, *sample;

	if (!json_is_array(series))
		return;
	if (json_array_size(series) != checking->columns)
		schema_report(checking, path, "%zu cells for %zu columns", json_array_size(series),
			      checking->columns);
	json_array_foreach (series, i, samples) {
		schema_path(&item, "%s[%zu]", path, i);
		if (!json_is_array(samples)) {
			schema_report(checking, item.text, "no array of samples");
			continue;
		}
		if (like && json_array_size(samples) &&
		    json_array_size(samples) != json_array_size(json_array_get(like, i)))
			schema_report(checking, item.text, "%zu samples where cells has %zu",
				      json_array_size(samples),
				      json_array_size(json_array_get(like, i)));
		json_array_foreach (samples, j, sample) {
			double value = json_number_value(sample);

			schema_path(&item, "%s[%zu][%zu]", path, i, j);
			if (!json_is_number(sample) || !(value >= 0) || value > highest)
				schema_report(checking, item.text,
					      highest < HUGE_VAL ? "no number of 0 to 100"
								 : "no number of 0 or more");
		}
	}
}

static void check_failures(struct checking *checking, const char *path, const json_t *failures)
{
	struct schema_path item;
	size_t i;
	json_t *failure;

	json_array_foreach (failures, i, failure) {
		const char *id = json_string_value(json_object_get(failure, "column"));

		schema_path(&item, "%s[%zu]", path, i);
		if (!json_is_object(failure)) {
			schema_report(checking, item.text, "no object");
			continue;
		}
		schema_check_fields(checking, item.text, failure, failure_fields, false);
		if (id && !has_column(checking, id, checking->columns)) {
			schema_path(&item, "%s[%zu].column", path, i);
			schema_report(checking, item.text, "no column \"%s\"", id);
		}
	}
}

/* What tells two rows apart. */
static bool same_row(const json_t *a, const json_t *b)
{
	static const char *const identity[] = { "test", "key", "board", "size_bytes", "unit" };

	for (size_t i = 0; i < sizeof(identity) / sizeof(identity[0]); i++) {
		const json_t *in_a = json_object_get(a, identity[i]);
		const json_t *in_b = json_object_get(b, identity[i]);

		if (!in_a != !in_b || (in_a && !json_equal(in_a, in_b)))
			return false;
	}
	return true;
}

static void check_row_fields(struct checking *checking, const char *path, json_t *row)
{
	struct field fields[ROW_FIELDS + RESULT_SERIES + 1];

	memcpy(fields, row_fields, sizeof(row_fields));
	for (int i = 0; i < RESULT_SERIES; i++)
		fields[ROW_FIELDS + i] = (struct field){ result_series_name(i), FIELD_ARRAY,
							 i == SERIES_CELLS ? REQUIRED : OPTIONAL };
	fields[ROW_FIELDS + RESULT_SERIES] = (struct field){ .name = NULL };
	schema_check_fields(checking, path, row, fields, false);
}

static void check_row(struct checking *checking, const char *path, json_t *row)
{
	const json_t *cells = json_object_get(row, "cells");
	static const char *const texts[] = { "congestion", "symbols" };
	const char *test = json_string_value(json_object_get(row, "test"));
	struct reason reason;
	struct schema_path member;

	check_row_fields(checking, path, row);
	if (!json_object_get(row, "test") && !json_object_get(row, "key"))
		schema_report(checking, path, "neither test nor key");
	if (checking->net && test && test_kind_find(test, &reason) < 0) {
		schema_path(&member, "%s.test", path);
		schema_report(checking, member.text, "%s", reason.text);
	}
	for (int i = 0; i < RESULT_SERIES; i++) {
		const json_t *series = json_object_get(row, result_series_name(i));

		schema_path(&member, "%s.%s", path, result_series_name(i));
		check_series(checking, member.text, series, i == SERIES_CELLS ? NULL : cells,
			     i == SERIES_LOSS || i == SERIES_MEMCPY_PERCENT ||
					     i == SERIES_USERCOPY_PERCENT
				     ? 100
				     : HUGE_VAL);
	}
	schema_path(&member, "%s.failed", path);
	check_failures(checking, member.text, json_object_get(row, "failed"));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const json_t *array = json_object_get(row, texts[i]);

		schema_path(&member, "%s.%s", path, texts[i]);
		if (json_is_array(array) && json_array_size(array) != checking->columns)
			schema_report(checking, member.text, "%zu entries for %zu columns",
				      json_array_size(array), checking->columns);
	}
}

static void check_rows(struct checking *checking, const json_t *rows)
{
	struct schema_path path;
	size_t i;
	json_t *row;

	if (json_is_array(rows) && !json_array_size(rows))
		schema_report(checking, "rows", "empty");
	json_array_foreach (rows, i, row) {
		schema_path(&path, "rows[%zu]", i);
		if (!json_is_object(row)) {
			schema_report(checking, path.text, "no object");
			continue;
		}
		check_row(checking, path.text, row);
		for (size_t j = 0; j < i; j++)
			if (json_is_object(json_array_get(rows, j)) &&
			    same_row(row, json_array_get(rows, j)))
				schema_report(
					checking, path.text,
					"the same test, key, board, size and unit as rows[%zu]", j);
	}
}

/* -- the whole ------------------------------------------------------------------------------ */

size_t schema_check(json_t *root, schema_problem_fn *problem, void *context)
{
	struct checking checking = { .problem = problem, .context = context };
	const char *schema = json_string_value(json_object_get(root, "schema"));
	const char *kind = json_string_value(json_object_get(root, "kind"));
	const char *samples = json_string_value(json_object_get(root, "samples"));

	if (!json_is_object(root) || !schema) {
		schema_report(&checking, "", "no result file: it has no schema");
		return checking.problems;
	}
	if (strcmp(schema, RESULT_SCHEMA)) {
		schema_report(&checking, "schema", "\"%.60s\" is not known here; this is for %s",
			      schema, RESULT_SCHEMA);
		return checking.problems;
	}
	checking.net = kind && !strcmp(kind, "net");
	checking.column_array = json_object_get(root, "columns");
	checking.columns = json_array_size(checking.column_array);
	schema_check_fields(&checking, "", root, head_fields, false);
	if (kind && !is_one_of(kind, kinds))
		schema_report(&checking, "kind",
			      "\"%.60s\" is none of net, copy, count, check, published", kind);
	if (samples && !is_one_of(samples, sample_meanings))
		schema_report(&checking, "samples", "\"%.60s\" is none of samples, range, figure",
			      samples);
	check_columns(&checking);
	check_rows(&checking, json_object_get(root, "rows"));
	if (checking.net && json_is_object(json_object_get(root, "facts")))
		schema_check_fields(&checking, "facts", json_object_get(root, "facts"), net_facts,
				    true);
	return checking.problems;
}

json_t *schema_load(const char *path, struct reason *reason)
{
	json_error_t problem;
	FILE *file = fopen(path, "re");
	json_t *root;
	int error;

	if (!file) {
		error = errno;
		reason_set(reason, "%s: %s", path, strerror(error));
		errno = error;
		return NULL;
	}
	errno = 0;
	root = json_loadf(file, JSON_REJECT_DUPLICATES, &problem);
	error = ferror(file) ? errno : 0;
	fclose(file);
	if (!root && error)
		reason_set(reason, "%s: %s", path, strerror(error));
	else if (!root)
		reason_set(reason, "%s:%d: not JSON: %s", path, problem.line, problem.text);
	errno = error;
	return root;
}
