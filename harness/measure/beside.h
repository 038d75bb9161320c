/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Beside: counts of a virtual board next to what was published of a real one with the same routines
 * in its kernel, as ratios and shares, since figures of two machines are not comparable.
 */
#ifndef HARNESS_MEASURE_BESIDE_H
#define HARNESS_MEASURE_BESIDE_H

#include <stdio.h>

#include "harness/measure/result.h"

/** Prints what there is of a result of counts with kernels as columns; nothing if there is none. */
void beside_print(FILE *out, const struct result *result, size_t width);

#endif
