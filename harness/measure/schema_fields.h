/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Schema fields: which fields an object has, of which type, and the check of one against that.
 */
#ifndef HARNESS_MEASURE_SCHEMA_FIELDS_H
#define HARNESS_MEASURE_SCHEMA_FIELDS_H

#include <stdbool.h>

#include "harness/measure/schema.h"

/** Where a field is: "rows[2].cells[1]". */
struct schema_path {
	char text[128];
};

/** Writes it (printf's format, cut to what fits). */
void schema_path(struct schema_path *path, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

enum field_type {
	FIELD_TEXT,   /* a string that is not empty */
	FIELD_TIME,   /* 2026-01-31T12:00:00Z */
	FIELD_WHOLE,  /* an integer, 0 or more */
	FIELD_NUMBER, /* 0 or more */
	FIELD_BOOLEAN,
	FIELD_OBJECT,
	FIELD_TEXTS,	     /* an array of strings */
	FIELD_TEXTS_OR_NULL, /* likewise, with null for what is unknown */
	FIELD_ARRAY,
};

enum field_presence {
	OPTIONAL,
	REQUIRED,
	REQUIRED_OF_NET, /* of files of kind "net" */
};

struct field {
	const char *name;
	enum field_type type;
	enum field_presence presence;
};

/** One check of one document. */
struct checking {
	schema_problem_fn *problem;
	void *context;
	bool net;
	size_t problems;
	size_t columns;
	const json_t *column_array;
};

/** Tells of a problem and counts it; an empty path is the whole document. */
void schema_report(struct checking *checking, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Checks types and presence of an object's fields (up to one without a name), and unless others
 * are allowed, that there are no more. */
void schema_check_fields(struct checking *checking, const char *path, json_t *object,
			 const struct field *fields, bool others_allowed);

#endif
