/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Plan: the order in which the cells of a run are measured. Each repetition goes through all cells
 * in an order of its own, before the next begins, so that what changes on the machine meanwhile
 * falls on all columns alike.
 */
#ifndef HARNESS_MEASURE_PLAN_H
#define HARNESS_MEASURE_PLAN_H

#include <stddef.h>
#include <stdint.h>

struct planned_cell {
	unsigned int run; /* 1 .. runs */
	size_t row, column;
};

/**
 * Puts the cells of each run that need the same kernel behind each other, in the order in which the
 * kernels come first, since a change of kernel is a boot. kernels: one text a column.
 */
void plan_by_kernel(struct planned_cell *cells, size_t count, const char *const *kernels);

/**
 * runs * rows * columns cells, shuffled within each run; the same seed gives the same order. To be
 * freed; NULL: no memory, or nothing to do.
 */
struct planned_cell *plan_create(unsigned int runs, size_t rows, size_t columns, uint64_t seed);

/** A seed from the time, short enough to be typed; never 0. */
uint64_t plan_seed_from_time(void);

#endif
