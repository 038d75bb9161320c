/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Result: a result file in memory; results/README.md describes its shape. Columns and cells are
 * taken apart, since tables and statistics work on them; all else stays as JSON.
 */
#ifndef HARNESS_MEASURE_RESULT_H
#define HARNESS_MEASURE_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/measure/reason.h"

#define RESULT_SCHEMA "netbench/1"

struct series {
	double *values;
	size_t count;
};

struct result_column {
	const char *id; /* in fields */
	json_t *fields;
};

/** What a row may have, one series a column each. */
enum result_series {
	SERIES_CELLS,		 /* the figures themselves, in the unit; every row has them */
	SERIES_LOSS,		 /* UDP: percent of the datagrams */
	SERIES_CPU_S_PER_GB,	 /* CPU time of the board's server per 10^9 bytes that arrived */
	SERIES_COPY_NS_PER_BYTE, /* time in the copy routine per byte, where it is told */
	/* Of a board that counts: */
	SERIES_KERNEL_PER_BYTE,	  /* instructions of its kernel per byte that arrived */
	SERIES_MISALIGNED_PER_KB, /* misaligned accesses per 1000 bytes that arrived */
	SERIES_MEMCPY_PERCENT,	  /* of all instructions: in the kernel's memcpy, */
	SERIES_USERCOPY_PERCENT,  /* and in its user copies */
	RESULT_SERIES,
};

struct result_row {
	json_t *fields; /* all but the series: test, key, unit, failed, ... */
	struct series
		*series[RESULT_SERIES]; /* an array each, as long as the columns; NULL: none */
};

struct result {
	json_t *head; /* all fields but columns and rows */
	struct result_column *columns;
	size_t column_count;
	struct result_row *rows;
	size_t row_count;
};

/** A text as JSON; "unknown" if it is no UTF-8, as what comes from files and programs may be. */
json_t *result_string(const char *text);

/** A result without columns and rows; takes the reference to head. NULL: no memory. */
struct result *result_create(json_t *head);
void result_destroy(struct result *result);

/** Adds a column; takes the reference to fields, which have an "id". All columns come before all
 *  rows. Returns 0, or -1: no memory. */
int result_add_column(struct result *result, json_t *fields);

/** Adds a row without samples; takes the reference. with: the set of 1 << SERIES_ beyond the cells.
 *  Returns 0, or -1: no memory. */
int result_add_row(struct result *result, json_t *fields, unsigned int with);

/** The series' name in a file. */
const char *result_series_name(enum result_series series);

/** Appends a value. Returns 0, or -1: no memory. */
int series_add(struct series *series, double value);

/** Notes that a cell gave no figure in a run. Returns 0, or -1: no memory. */
int result_add_failure(struct result *result, size_t row, size_t column, unsigned int run,
		       const char *message);

/** A text of the head, of its facts or of a row; "" if there is none. */
const char *result_text(const struct result *result, const char *key);
const char *result_fact(const struct result *result, const char *key);
const char *result_row_text(const struct result_row *row, const char *key);

/** Appends a note for the reader; what is no UTF-8 is left out. */
void result_add_note(struct result *result, const char *note);

/** The whole as JSON, a new reference; NULL: no memory. */
json_t *result_to_json(const struct result *result);

/** Takes a file's JSON apart, which must be valid (schema.h); NULL with the reason. */
struct result *result_from_json(const json_t *root, struct reason *reason);

/** Writes the file as a whole or not at all. "-": to standard output. Returns 0, or -1. */
int result_write(const struct result *result, const char *path, struct reason *reason);

/** Reads a file and checks it. NULL with the reason. */
struct result *result_read(const char *path, struct reason *reason);

#endif
