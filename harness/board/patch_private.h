/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the parts of a patch share: the choice, where its sources are, and the files of a/ and b/.
 */
#ifndef HARNESS_BOARD_PATCH_PRIVATE_H
#define HARNESS_BOARD_PATCH_PRIVATE_H

#include <stdio.h>

#include "harness/board/board.h"
#include "harness/board/patch.h"

#define LIB		   "arch/riscv/lib"
#define LIB_MAKEFILE	   LIB "/Makefile"
#define UACCESS		   LIB "/uaccess.S"
#define PURGATORY_MAKEFILE "arch/riscv/purgatory/Makefile"
#define MEMORY_ROUTINES	   PATCH_USERCOPY /* those before it have a file each */

/* So that what is compared is what was published, and so that none calls itself. */
#define C_FLAGS \
	"-O2 -ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns -fno-tree-vectorize"

struct patch {
	const struct patch_choice *choice;
	const char *source, *tree, *folder;
	/* Of each routine with a file of its own: */
	char path[MEMORY_ROUTINES]
		 [BOARD_PATH_SIZE];   /* below source, or the added file; empty: not changed */
	bool merged[MEMORY_ROUTINES]; /* it is in the file of another */
	bool c[MEMORY_ROUTINES];
	const struct copy_variant *needed; /* that memcpy calls; NULL: none */
	struct reason *reason;
};

/* folder, below and path are joined. NULL with the reason. */
FILE *patch_open(const struct patch *patch, const char *folder, const char *below, const char *path,
		 const char *mode);

/* Of a file that was opened in b/: 0, or -1 with the reason if not all of it could be written. */
int patch_close_written(const struct patch *patch, FILE *file, const char *path);

/* Where below copylib the source of a variant's routine is. 0, or -1 with the reason. */
int patch_find_source(const struct patch *patch, const struct copy_variant *variant,
		      enum patch_routine routine, char *path, size_t size);

bool patch_is_c(const char *path);

/* Those of arch/riscv/lib and of the purgatory. 0, or -1 with the reason. */
int patch_write_makefiles(const struct patch *patch);

/* The user copy, if one is chosen. 0, or -1 with the reason. */
int patch_write_uaccess(const struct patch *patch);

#endif
