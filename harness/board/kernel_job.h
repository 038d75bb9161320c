/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A job of harness board kernel, and its first part: the kernel's source, unpacked and configured
 * in the board's folder: linux (the whole), linux-pristine (arch/riscv as it came) and linux-build.
 */
#ifndef HARNESS_BOARD_KERNEL_JOB_H
#define HARNESS_BOARD_KERNEL_JOB_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/board/board.h"

#define KERNEL_ADDED_MAX      4
#define KERNEL_UNPACK_LIMIT_S 600

struct kernel_job {
	char folder[PATH_MAX];	  /* of the board, by its real path */
	char source[PATH_MAX];	  /* of netbench */
	const char *linux_source; /* a folder or a tarball; NULL: Debian's */
	const char *added[KERNEL_ADDED_MAX];
	size_t added_count;
	bool patch_only, rebuild;
	char log[BOARD_PATH_SIZE];
	struct reason *reason;
};

/* Runs a script of the shell with up to three words, $1 ... Returns 0, or -1 with the reason. */
int kernel_run_script(const struct kernel_job *job, const char *what, const char *script,
		      unsigned int limit_s, const char *one, const char *two, const char *three);

/* The tarball of the kernel's source: the one asked for, or Debian's newest. 0, or -1 with the
 * reason. */
int kernel_find_tarball(const struct kernel_job *job, char *path, size_t size);

/* Unless this tarball is unpacked already. 0, or -1 with the reason. */
int kernel_unpack(const struct kernel_job *job, const char *tarball);

/* Unless it is configured already. 0, or -1 with the reason. */
int kernel_configure(const struct kernel_job *job);

#endif
