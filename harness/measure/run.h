/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Run: all cells of one experiment, measured in the plan's order into a result.
 */
#ifndef HARNESS_MEASURE_RUN_H
#define HARNESS_MEASURE_RUN_H

#include "harness/measure/cell.h"
#include "harness/measure/result.h"

/** An empty result for what is configured: head, facts, columns, rows. NULL with the reason.
 *  command: how the run was called, for the record. */
struct result *run_create_result(struct bench *bench, const char *command, struct reason *reason);

/**
 * Measures all cells, with progress on a terminal; after each repetition of all of them, and at the
 * end, the result is written to path. A cell that fails is tried once more, then noted as failed.
 * After an interrupt the result is marked partial. Returns 0, or -1 with the reason: it cannot be
 * written, or no memory.
 */
int run_measure(struct bench *bench, struct result *result, const char *path,
		struct reason *reason);

/** Number of samples, and of cells that failed in some run. */
size_t run_count_samples(const struct result *result);
size_t run_count_failures(const struct result *result);

#endif
