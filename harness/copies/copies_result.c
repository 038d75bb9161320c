/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Results of harness copy as a file. See copies_result.h. */
#include "harness/copies/copies_result.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness/copies/native.h"

static json_t *create_facts(const struct copy_options *options)
{
	return json_pack("{s:s, s:s, s:i, s:b}", "harness", NETBENCH_VERSION, "place",
			 native_place(), "vlen_bits", (int)options->vlen_bits, "quick",
			 options->quick);
}

struct result *copies_result_create(const char *kind, const char *unit,
				    const struct copy_options *options)
{
	char when[32];
	time_t now = time(NULL);
	struct tm utc;
	struct result *result;
	json_t *notes = json_array();

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	json_array_append_new(notes, json_sprintf("made at %s", when));
	result = result_create(json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "schema", RESULT_SCHEMA, "kind", kind,
		"name", kind, "source", "harness " NETBENCH_VERSION, "board", native_place(),
		"unit", unit, "facts", create_facts(options), "notes", notes));
	for (size_t i = 0; result && i < options->variant_count; i++) {
		const struct copy_variant *variant = options->variants[i];

		if (result_add_column(result,
				      json_pack("{s:s, s:s, s:i}", "id", variant->name, "credit",
						variant->credit, "year", (int)variant->year))) {
			result_destroy(result);
			result = NULL;
		}
	}
	return result;
}

static bool is_row(const struct result_row *row, const char *key, size_t size_bytes,
		   const char *unit)
{
	const json_t *size = json_object_get(row->fields, "size_bytes");
	bool same_size = size_bytes == COPIES_NO_SIZE
				 ? !size
				 : size && (size_t)json_integer_value(size) == size_bytes;

	return same_size && !strcmp(result_row_text(row, "key"), key) &&
	       !strcmp(result_row_text(row, "unit"), unit ? unit : "");
}

static struct result_row *find_row(struct result *result, const char *key, size_t size_bytes,
				   const char *unit)
{
	json_t *fields;

	for (size_t i = 0; i < result->row_count; i++)
		if (is_row(&result->rows[i], key, size_bytes, unit))
			return &result->rows[i];
	fields = json_pack("{s:s}", "key", key);
	if (fields && size_bytes != COPIES_NO_SIZE)
		json_object_set_new(fields, "size_bytes", json_integer((json_int_t)size_bytes));
	if (fields && unit)
		json_object_set_new(fields, "unit", json_string(unit));
	if (!fields || result_add_row(result, fields, 0))
		return NULL;
	return &result->rows[result->row_count - 1];
}

void copies_result_add(struct result *result, const char *key, size_t size_bytes, const char *unit,
		       size_t column, double value)
{
	struct result_row *row;

	if (!result)
		return;
	row = find_row(result, key, size_bytes, unit);
	if (!row || series_add(&row->series[SERIES_CELLS][column], value))
		result_add_note(result, "there was no memory for some of the figures");
}

FILE *copies_text(const struct copy_options *options)
{
	FILE *nowhere;

	if (!options->json || strcmp(options->json, "-") != 0)
		return stdout;
	nowhere = fopen("/dev/null", "we");
	return nowhere ? nowhere : stderr;
}

bool copies_result_finish(struct result *result, const struct copy_options *options)
{
	struct reason reason;
	bool written = true;

	if (options->json && !result)
		reason_no_memory(&reason);
	else if (options->json && result->row_count == 0)
		reason_set(&reason, "%s: not written: nothing was found out", options->json);
	if (options->json &&
	    (!result || result->row_count == 0 || result_write(result, options->json, &reason))) {
		reason_print(&reason);
		written = false;
	}
	result_destroy(result);
	return written;
}
