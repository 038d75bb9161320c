/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Needed: the shared libraries that a program of another machine wants to be loaded with, as its
 * own dynamic section names them.
 */
#ifndef HARNESS_BOARD_NEEDED_H
#define HARNESS_BOARD_NEEDED_H

#include "harness/measure/reason.h"

/**
 * Calls each(context, name) for every name, "libc.so.6", of this 64-bit little-endian ELF file; for
 * one that is static, never. each returns 0 to go on. Returns 0, what each returned, or -1 with the
 * reason: the file cannot be read, or is no such ELF file.
 */
int needed_for_each(const char *path, int (*each)(void *context, const char *name), void *context,
		    struct reason *reason);

#endif
