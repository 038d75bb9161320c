/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The virtual board: a RISC-V board made of Debian packages, run by qemu-system-riscv64. All of it
 * lies in one folder, build/board by default:
 *
 *   tree/                  a Debian for riscv64: the sysroot of the cross build too
 *   initramfs.cpio.gz      what it boots into
 *   key, key.pub           of SSH, for this board alone
 *   kernel/debian/         Image: Debian's kernel as it comes, and modules/
 *   kernel/NAME/           Image, System.map, config, kernel.patch: one with variants inside
 *   linux/                 Debian's kernel source, with a variant's patch in it
 *   linux-pristine/        arch/riscv of it as it comes, which patches are made against
 *   linux-build/           what its builds share
 *   log/                   what the programs said that made these
 *   run/                   a board that was booted in the background: its console, its socket
 *
 * What is made comes into its place whole, by a rename, or not at all.
 */
#ifndef HARNESS_BOARD_BOARD_H
#define HARNESS_BOARD_BOARD_H

#include <limits.h>
#include <stdbool.h>

#include "harness/measure/reason.h"

#define BOARD_FOLDER	"build/board"
#define BOARD_PATH_SIZE (PATH_MAX + 64)

/** The jobs of harness board; argv[0] is the job's name, and the exit status is returned. */
int board_build_main(int argc, char **argv);
int board_kernel_main(int argc, char **argv);
int board_boot_main(int argc, char **argv);
int board_shell_main(int argc, char **argv);
int board_run_main(int argc, char **argv);
int board_stop_main(int argc, char **argv);

/** Writes FOLDER/NAME, NAME by printf's format. Returns 0, or -1 with the reason: too long. */
int board_path(char path[BOARD_PATH_SIZE], struct reason *reason, const char *folder,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Makes a folder and those above it. Returns 0, or -1 with the reason. */
int board_make_folder(const char *path, struct reason *reason);

/** Removes a file, or a folder with all that is in it; what is not there is fine. */
int board_remove(const char *path, struct reason *reason);

/**
 * Is the thing at this path what was made from this key (packages, versions, options in words)?
 * The key is in PATH.made-from, written by board_commit().
 */
bool board_is_made(const char *path, const char *key);

/** Puts what was made at PATH.new into its place, and its key beside it. 0, or -1 with the reason.
 */
int board_commit(const char *path, const char *key, struct reason *reason);

#endif
