/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Result: built up, and taken apart again. */
#include <stdlib.h>
#include <string.h>

#include "harness/measure/result.h"

static const char *const series_names[RESULT_SERIES + 1] = {
	[SERIES_CELLS] = "cells",
	[SERIES_LOSS] = "loss",
	[SERIES_CPU_S_PER_GB] = "cpu_s_per_gb",
	[SERIES_COPY_NS_PER_BYTE] = "copy_ns_per_byte",
	[SERIES_KERNEL_PER_BYTE] = "kernel_per_byte",
	[SERIES_MISALIGNED_PER_KB] = "misaligned_per_kb",
	[SERIES_MEMCPY_PERCENT] = "memcpy_percent",
	[SERIES_USERCOPY_PERCENT] = "usercopy_percent",
};

const char *result_series_name(enum result_series series)
{
	return series_names[series];
}

json_t *result_string(const char *text)
{
	json_t *string = json_string(text);

	return string ? string : json_string("unknown");
}

struct result *result_create(json_t *head)
{
	struct result *result = head ? calloc(1, sizeof(*result)) : NULL;

	if (!result) {
		json_decref(head);
		return NULL;
	}
	result->head = head;
	return result;
}

static void series_destroy(struct series *series, size_t count)
{
	for (size_t i = 0; series && i < count; i++)
		free(series[i].values);
	free(series);
}

void result_destroy(struct result *result)
{
	if (!result)
		return;
	for (size_t i = 0; i < result->column_count; i++)
		json_decref(result->columns[i].fields);
	for (size_t i = 0; i < result->row_count; i++) {
		for (int j = 0; j < RESULT_SERIES; j++)
			series_destroy(result->rows[i].series[j], result->column_count);
		json_decref(result->rows[i].fields);
	}
	free(result->columns);
	free(result->rows);
	json_decref(result->head);
	free(result);
}

int result_add_column(struct result *result, json_t *fields)
{
	struct result_column *grown;

	grown = fields ? realloc(result->columns, (result->column_count + 1) * sizeof(*grown))
		       : NULL;
	if (!grown) {
		json_decref(fields);
		return -1;
	}
	result->columns = grown;
	grown[result->column_count].id = json_string_value(json_object_get(fields, "id"));
	grown[result->column_count].fields = fields;
	result->column_count++;
	return 0;
}

int result_add_row(struct result *result, json_t *fields, unsigned int with)
{
	struct result_row row = { .fields = fields };
	struct result_row *grown;
	bool whole;

	grown = fields ? realloc(result->rows, (result->row_count + 1) * sizeof(*grown)) : NULL;
	if (grown)
		result->rows = grown;
	whole = grown;
	with |= 1u << SERIES_CELLS;
	for (int i = 0; i < RESULT_SERIES; i++) {
		if (!(with & 1u << i))
			continue;
		row.series[i] = calloc(result->column_count, sizeof(struct series));
		whole = whole && row.series[i];
	}
	if (!whole) {
		for (int i = 0; i < RESULT_SERIES; i++)
			free(row.series[i]);
		json_decref(fields);
		return -1;
	}
	grown[result->row_count++] = row;
	return 0;
}

int series_add(struct series *series, double value)
{
	double *grown = realloc(series->values, (series->count + 1) * sizeof(*grown));

	if (!grown)
		return -1;
	series->values = grown;
	grown[series->count++] = value;
	return 0;
}

int result_add_failure(struct result *result, size_t row, size_t column, unsigned int run,
		       const char *message)
{
	json_t *fields = result->rows[row].fields;
	json_t *failed = json_object_get(fields, "failed");

	if (!failed) {
		failed = json_array();
		if (!failed || json_object_set_new(fields, "failed", failed))
			return -1;
	}
	return json_array_append_new(failed, json_pack("{s:s, s:i, s:o}", "column",
						       result->columns[column].id, "run", (int)run,
						       "message", result_string(message)));
}

static const char *text_in(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

const char *result_text(const struct result *result, const char *key)
{
	return text_in(result->head, key);
}

const char *result_fact(const struct result *result, const char *key)
{
	return text_in(json_object_get(result->head, "facts"), key);
}

const char *result_row_text(const struct result_row *row, const char *key)
{
	return text_in(row->fields, key);
}

void result_add_note(struct result *result, const char *note)
{
	json_array_append_new(json_object_get(result->head, "notes"), json_string(note));
}

/* -- to JSON and back ----------------------------------------------------------------------- */

static json_t *series_to_json(const struct series *series, size_t columns)
{
	json_t *cells = json_array();

	for (size_t i = 0; cells && i < columns; i++) {
		json_t *samples = json_array();

		for (size_t j = 0; j < series[i].count; j++)
			json_array_append_new(samples, json_real(series[i].values[j]));
		json_array_append_new(cells, samples);
		if (json_array_size(cells) != i + 1 ||
		    json_array_size(samples) != series[i].count) {
			json_decref(cells);
			return NULL;
		}
	}
	return cells;
}

static json_t *row_to_json(const struct result_row *row, size_t columns)
{
	json_t *object = json_copy(row->fields);

	for (int i = 0; object && i < RESULT_SERIES; i++) {
		if (!row->series[i])
			continue;
		if (json_object_set_new(object, series_names[i],
					series_to_json(row->series[i], columns))) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

json_t *result_to_json(const struct result *result)
{
	json_t *root = json_copy(result->head);
	json_t *columns = json_array(), *rows = json_array();
	bool whole = root && columns && rows;

	for (size_t i = 0; whole && i < result->column_count; i++)
		whole = !json_array_append(columns, result->columns[i].fields);
	for (size_t i = 0; whole && i < result->row_count; i++)
		whole = !json_array_append_new(rows,
					       row_to_json(&result->rows[i], result->column_count));
	if (!whole) {
		json_decref(columns);
		json_decref(rows);
		json_decref(root);
		return NULL;
	}
	if (json_object_set_new(root, "columns", columns) |
	    json_object_set_new(root, "rows", rows)) {
		json_decref(root);
		return NULL;
	}
	return root;
}

static int series_from_json(struct series *series, const json_t *cells)
{
	size_t i, j;
	json_t *samples, *sample;

	json_array_foreach (cells, i, samples)
		json_array_foreach (samples, j, sample)
			if (series_add(&series[i], json_number_value(sample)))
				return -1;
	return 0;
}

static json_t *copy_without(const json_t *object, const char *const *keys)
{
	json_t *copy = json_deep_copy(object);

	for (; copy && *keys; keys++)
		json_object_del(copy, *keys);
	return copy;
}

static int row_from_json(struct result *result, const json_t *object)
{
	unsigned int with = 0;

	for (int i = 0; i < RESULT_SERIES; i++)
		if (json_object_get(object, series_names[i]))
			with |= 1u << i;
	if (result_add_row(result, copy_without(object, series_names), with))
		return -1;
	for (int i = 0; i < RESULT_SERIES; i++)
		if (with & 1u << i &&
		    series_from_json(result->rows[result->row_count - 1].series[i],
				     json_object_get(object, series_names[i])))
			return -1;
	return 0;
}

struct result *result_from_json(const json_t *root, struct reason *reason)
{
	static const char *const head_without[] = { "columns", "rows", NULL };
	struct result *result = result_create(copy_without(root, head_without));
	bool whole = result;
	size_t i;
	json_t *object;

	if (whole)
		json_array_foreach (json_object_get(root, "columns"), i, object)
			whole = whole && !result_add_column(result, json_deep_copy(object));
	if (whole)
		json_array_foreach (json_object_get(root, "rows"), i, object)
			whole = whole && !row_from_json(result, object);
	if (!whole) {
		result_destroy(result);
		reason_no_memory(reason);
		return NULL;
	}
	return result;
}
