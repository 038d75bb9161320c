/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Reading JSON of peers that are not quite exact: iperf3 writes large integers as floating point,
 * -1 at times as 2^64 - 1, and switches as true or as 1.
 */
#ifndef NETBENCH_IPERF3_JSON_H
#define NETBENCH_IPERF3_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/**
 * The object in text[0 .. bytes); NULL and *why (why_bytes long) when it is none. Bytes beyond
 * ASCII are read as '?': a title in another encoding must not end a test.
 */
json_t *json_read_object(char *text, size_t bytes, char *why, size_t why_bytes);

enum json_found {
	JSON_ABSENT,
	JSON_FOUND,
	JSON_WRONG_TYPE,
};

/** A whole number, whichever way it is written; what is outside of int64_t becomes -1. */
enum json_found json_get_integer(const json_t *object, const char *key, int64_t *value);
/** Any number. */
enum json_found json_get_real(const json_t *object, const char *key, double *value);
/** true, false, or a number that is 0 or not. */
enum json_found json_get_switch(const json_t *object, const char *key, bool *value);
/** A string, which belongs to the object. */
enum json_found json_get_string(const json_t *object, const char *key, const char **value);

#endif
