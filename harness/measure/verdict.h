/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Verdict: which columns differ from the one they are compared with by more than chance alone makes
 * two equal columns differ.
 */
#ifndef HARNESS_MEASURE_VERDICT_H
#define HARNESS_MEASURE_VERDICT_H

#include <stdio.h>

#include "harness/measure/result.h"

/** The column that all are compared with: the one that is there again, else libc, else the first.
 */
size_t verdict_baseline(const struct result *result);

/**
 * The relative difference of a column's median to the baseline's (-0.2: a fifth less), and the
 * noise below which it says nothing. Both NaN if there are no figures to compare, the noise also if
 * no cell of the row was repeated.
 */
void verdict_compare(const struct result *result, size_t row, size_t column, double *difference,
		     double *noise);

/** Prints the noise of each test, and each column's differences beyond it, in lines of that width.
 */
void verdict_print(FILE *out, const struct result *result, size_t width);

#endif
