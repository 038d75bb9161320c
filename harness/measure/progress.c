/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Progress: the line is written over by itself; plain characters only, so that NO_COLOR and the
 * dumbest terminal have nothing to object to.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/measure/progress.h"

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_start(struct progress *progress, size_t total, double expected_cell_s)
{
	memset(progress, 0, sizeof(*progress));
	progress->terminal = isatty(STDERR_FILENO);
	progress->total = total;
	progress->cell_s = expected_cell_s;
	progress->started_s = now_s();
}

void progress_show(struct progress *progress, size_t done, const char *what)
{
	char line[80]; /* cut, so that it never wraps */
	double left_s;
	int width;

	if (!progress->terminal)
		return;
	if (done)
		progress->cell_s = (now_s() - progress->started_s) / (double)done;
	left_s = progress->cell_s * (double)(progress->total - done);
	snprintf(line, sizeof(line), "cell %zu of %zu, %d:%02d left: %s", done + 1, progress->total,
		 (int)(left_s / 60), (int)left_s % 60, what);
	width = (int)strlen(line);
	fprintf(stderr, "\r%s%*s", line, progress->written > width ? progress->written - width : 0,
		"");
	fflush(stderr);
	progress->written = width;
}

void progress_clear(struct progress *progress)
{
	if (!progress->terminal || !progress->written)
		return;
	fprintf(stderr, "\r%*s\r", progress->written, "");
	fflush(stderr);
	progress->written = 0;
}
