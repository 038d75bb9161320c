/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Schema fields: an object is gone through twice, by its table and by what it has. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/measure/result.h"
#include "harness/measure/schema_fields.h"

void schema_path(struct schema_path *path, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path->text, sizeof(path->text), format, arguments);
	va_end(arguments);
}

void schema_report(struct checking *checking, const char *path, const char *format, ...)
{
	char what[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	checking->problem(checking->context, *path ? path : "the file", what);
	checking->problems++;
}

static bool is_time(const char *text)
{
	static const char shape[] = "0000-00-00T00:00:00Z";

	if (strlen(text) != strlen(shape))
		return false;
	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i])
			return false;
	return true;
}

static void check_texts(struct checking *checking, const char *path, const json_t *array,
			bool or_null)
{
	struct schema_path item;
	size_t i;
	json_t *value;

	json_array_foreach (array, i, value) {
		schema_path(&item, "%s[%zu]", path, i);
		if (!json_is_string(value) && !(or_null && json_is_null(value)))
			schema_report(checking, item.text,
				      or_null ? "neither a string nor null" : "no string");
	}
}

static void check_value(struct checking *checking, const char *path, enum field_type type,
			const json_t *value)
{
	switch (type) {
	case FIELD_TEXT:
		if (!json_is_string(value) || !*json_string_value(value))
			schema_report(checking, path, "no string with something in it");
		break;
	case FIELD_TIME:
		if (!json_is_string(value) || !is_time(json_string_value(value)))
			schema_report(checking, path, "no time as 2026-01-31T12:00:00Z");
		break;
	case FIELD_WHOLE:
		if (!json_is_integer(value) || json_integer_value(value) < 0)
			schema_report(checking, path, "no whole number of 0 or more");
		break;
	case FIELD_NUMBER:
		if (!json_is_number(value) || !(json_number_value(value) >= 0))
			schema_report(checking, path, "no number of 0 or more");
		break;
	case FIELD_BOOLEAN:
		if (!json_is_boolean(value))
			schema_report(checking, path, "neither true nor false");
		break;
	case FIELD_OBJECT:
		if (!json_is_object(value))
			schema_report(checking, path, "no object");
		break;
	case FIELD_ARRAY:
	case FIELD_TEXTS:
	case FIELD_TEXTS_OR_NULL:
		if (!json_is_array(value))
			schema_report(checking, path, "no array");
		else if (type != FIELD_ARRAY)
			check_texts(checking, path, value, type == FIELD_TEXTS_OR_NULL);
		break;
	}
}

static const struct field *find_field(const struct field *fields, const char *name)
{
	for (; fields->name; fields++)
		if (!strcmp(fields->name, name))
			return fields;
	return NULL;
}

void schema_check_fields(struct checking *checking, const char *path, json_t *object,
			 const struct field *fields, bool others_allowed)
{
	const char *dot = *path ? "." : "";
	struct schema_path member;
	const char *name;
	json_t *value;

	for (const struct field *field = fields; field->name; field++) {
		schema_path(&member, "%s%s%s", path, dot, field->name);
		value = json_object_get(object, field->name);
		if (value)
			check_value(checking, member.text, field->type, value);
		else if (field->presence == REQUIRED ||
			 (field->presence == REQUIRED_OF_NET && checking->net))
			schema_report(checking, member.text, "missing");
	}
	json_object_foreach (object, name, value) {
		if (others_allowed || find_field(fields, name))
			continue;
		schema_path(&member, "%s%s%.60s", path, dot, name);
		schema_report(checking, member.text, "no such field in " RESULT_SCHEMA);
	}
}
