/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Patch source: a source file of copylib as a kernel has it. What it includes of copylib is put in
 * its place; what copylib has macros for, the kernel has others for.
 */
#ifndef HARNESS_BOARD_PATCH_SOURCE_H
#define HARNESS_BOARD_PATCH_SOURCE_H

#include <stdbool.h>
#include <stdio.h>

#include "harness/measure/reason.h"

#define PATCH_NAMES_MAX	   16
#define PATCH_INCLUDES_MAX 16

/** How a file is written, and what was seen in it. */
struct patch_source {
	const char *root; /* of netbench's sources */
	/* Functions that get another name: copylib's, and the kernel's. */
	const char *from[PATCH_NAMES_MAX], *to[PATCH_NAMES_MAX];
	size_t names;
	bool usercopy;	/* user memory is opened at the beginning and closed at each end */
	bool old_table; /* exception tables of before 5.17 */
	/* Filled in: */
	char included[PATCH_INCLUDES_MAX][64];
	size_t includes;
	char defined[64][24]; /* macros of the preprocessor */
	size_t defines;
	bool has_finish, in_finish; /* a macro of that name */
};

/** Writes the file at a path below root. Returns 0, or -1 with the reason. */
int patch_source_write(struct patch_source *source, const char *path, FILE *out,
		       struct reason *reason);

/** Takes back what the preprocessor was told, where other code follows. */
void patch_source_undefine(const struct patch_source *source, FILE *out);

/** Is there a function of this name in a line that begins one, in assembly or C? */
bool patch_line_begins(const char *line, char *name, size_t size);

#endif
