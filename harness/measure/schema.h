/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Schema: is a JSON document a result file, and valid in every field? results/README.md describes
 * the same for readers.
 */
#ifndef HARNESS_MEASURE_SCHEMA_H
#define HARNESS_MEASURE_SCHEMA_H

#include <jansson.h>
#include <stddef.h>

#include "harness/measure/reason.h"

/** Told of each problem: where ("rows[2].cells[1][0]") and what is wrong there. */
typedef void schema_problem_fn(void *context, const char *path, const char *what);

/** Checks a document. Returns the number of problems, 0: valid. */
size_t schema_check(json_t *root, schema_problem_fn *problem, void *context);

/** Reads a JSON file. NULL with the reason (file, line, what); errno is 0 if the file could be read
 *  but is no JSON. */
json_t *schema_load(const char *path, struct reason *reason);

#endif
