/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Progress: one line on standard error that tells which cell is measured and how long the rest
 * takes; only on a terminal.
 */
#ifndef HARNESS_MEASURE_PROGRESS_H
#define HARNESS_MEASURE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
	bool terminal;
	size_t total;	  /* cells */
	double cell_s;	  /* what one is expected to take */
	double started_s; /* by the monotonic clock */
	int written;	  /* columns of the line that stands there */
};

void progress_start(struct progress *progress, size_t total, double expected_cell_s);

/** Before a cell: done are behind us; what is the cell in words. */
void progress_show(struct progress *progress, size_t done, const char *what);

/** Takes the line away. */
void progress_clear(struct progress *progress);

#endif
