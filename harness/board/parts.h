/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The parts of the virtual board, as harness board build makes them. Each returns 0 when its part
 * is there and up to date, or -1 with the reason.
 */
#ifndef HARNESS_BOARD_PARTS_H
#define HARNESS_BOARD_PARTS_H

#include <limits.h>

#include "harness/measure/reason.h"

struct board_build {
	const char *folder;
	const char *source; /* of netbench; NULL: to be found */
	const char *mirror; /* of Debian; NULL: this machine's */
};

/** Where netbench's sources are, by a real path. Returns 0, or -1 with the reason. (programs.c) */
int board_find_source(const struct board_build *build, char source[PATH_MAX],
		      struct reason *reason);

/** The texts of init.sh and kernel.config. */
extern const char board_init_script[];
extern const char board_kernel_config[];

int part_tree(const struct board_build *build, struct reason *reason);	    /* tree.c */
int part_kernel(const struct board_build *build, struct reason *reason);    /* debian_kernel.c */
int part_programs(const struct board_build *build, struct reason *reason);  /* programs.c */
int part_key(const struct board_build *build, struct reason *reason);	    /* programs.c */
int part_initramfs(const struct board_build *build, struct reason *reason); /* initramfs.c */

#endif
