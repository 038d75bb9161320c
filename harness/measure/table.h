/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Table: a net result as text: what it was measured on, a row a test, a column a variant, and in
 * words which differences are more than noise.
 */
#ifndef HARNESS_MEASURE_TABLE_H
#define HARNESS_MEASURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "harness/measure/result.h"

struct table_options {
	size_t width; /* characters a line; columns that do not fit go into a block of their own */
	bool symbols; /* of counts: the functions with the most instructions, below the table */
	bool cpu;     /* lines with the CPU time per gigabyte, and in the routine per byte */
};

/** Prints the whole: head, cells, and the verdict below. */
void table_print(FILE *out, const struct result *result, const struct table_options *options);

#endif
