/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Folder: where the files of a run go. One run never overwrites another.
 */
#ifndef HARNESS_MEASURE_FOLDER_H
#define HARNESS_MEASURE_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "harness/measure/reason.h"

struct folder {
	char path[PATH_MAX];
	char run_json[PATH_MAX + 16];
	char table_txt[PATH_MAX + 16];
	bool made; /* by us, so that it can go again if nothing came into it */
};

/**
 * Makes the folder: the given one, which may be there but without a run in it, or else one of a new
 * name, results/NAME-TIME. Returns 0, or -1 with the reason.
 */
int folder_make(struct folder *folder, const char *wanted, const char *name, struct reason *reason);

/** Takes the folder away if we made it and it is empty. */
void folder_unmake(const struct folder *folder);

#endif
