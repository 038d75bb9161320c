/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Patch: puts routines of copylib in the place of those in arch/riscv/lib of a kernel tree. What it
 * writes is for a reviewer to read: the routine's own source with its comments, in the macros and
 * with the aliases of that kernel.
 */
#ifndef HARNESS_BOARD_PATCH_H
#define HARNESS_BOARD_PATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "copylib/copylib.h"
#include "harness/measure/reason.h"

enum patch_routine {
	PATCH_MEMCPY,
	PATCH_MEMMOVE,
	PATCH_MEMSET,
	PATCH_USERCOPY,
	PATCH_ROUTINES,
};

/** What a kernel is to have: a variant for each routine, or a file, or neither: as it comes. */
struct patch_choice {
	const struct copy_variant *variant[PATCH_ROUTINES];
	const char *added[PATCH_ROUTINES]; /* a .S or .c with the kernel's or the plain name */
};

/** memcpy, memmove, memset or usercopy. */
const char *patch_routine_name(enum patch_routine routine);

/**
 * Reads "VARIANT+VARIANT...": each variant brings what it has, a later one what an earlier one has
 * too; "stock" brings nothing. Returns 0, or -1 with the reason: no such variant, or one that
 * cannot be in a kernel.
 */
int patch_choose(const char *text, struct patch_choice *choice, struct reason *reason);

/** Adds a file: what it has is seen by the names in it. Returns 0, or -1 with the reason. */
int patch_choose_file(const char *path, struct patch_choice *choice, struct reason *reason);

/**
 * Writes the patch against a kernel tree, of which arch/riscv/lib and arch/riscv/purgatory are
 * read. source: netbench's own. folder: an empty one to work in. Returns 0 with the patch in
 * FOLDER/kernel.patch, empty if nothing is chosen, or -1 with the reason.
 */
int patch_write(const struct patch_choice *choice, const char *source, const char *tree,
		const char *folder, const char *log, struct reason *reason);

#endif
