/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reading JSON of peers that are not quite exact. See json.h. */
#include "netbench/iperf3/json.h"

#include <math.h>
#include <stdio.h>

json_t *json_read_object(char *text, size_t bytes, char *why, size_t why_bytes)
{
	json_error_t error;
	json_t *root;

	for (size_t i = 0; i < bytes; i++)
		if ((unsigned char)text[i] >= 0x80)
			text[i] = '?';
	/* As floating point an integer cannot be too big; up to 2^53 nothing is lost by it. */
	root = json_loadb(text, bytes, JSON_DECODE_INT_AS_REAL, &error);
	if (!root) {
		snprintf(why, why_bytes, "not JSON: %s at byte %d", error.text, error.position);
		return NULL;
	}
	if (!json_is_object(root)) {
		snprintf(why, why_bytes, "JSON, but not an object");
		json_decref(root);
		return NULL;
	}
	return root;
}

enum json_found json_get_real(const json_t *object, const char *key, double *value)
{
	const json_t *item = json_object_get(object, key);

	if (!item)
		return JSON_ABSENT;
	if (!json_is_number(item))
		return JSON_WRONG_TYPE;
	*value = json_number_value(item);
	return JSON_FOUND;
}

enum json_found json_get_integer(const json_t *object, const char *key, int64_t *value)
{
	double real;
	enum json_found found = json_get_real(object, key, &real);

	if (found == JSON_FOUND)
		*value = fabs(real) < 0x1p63 ? (int64_t)real : -1;
	return found;
}

enum json_found json_get_switch(const json_t *object, const char *key, bool *value)
{
	const json_t *item = json_object_get(object, key);

	if (!item)
		return JSON_ABSENT;
	if (!json_is_boolean(item) && !json_is_number(item))
		return JSON_WRONG_TYPE;
	*value = json_is_true(item) || (json_is_number(item) && json_number_value(item) != 0);
	return JSON_FOUND;
}

enum json_found json_get_string(const json_t *object, const char *key, const char **value)
{
	const json_t *item = json_object_get(object, key);

	if (!item)
		return JSON_ABSENT;
	if (!json_is_string(item))
		return JSON_WRONG_TYPE;
	*value = json_string_value(item);
	return JSON_FOUND;
}
