/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A user's own routine, from FILE.S, FILE.c, FILE.o or FILE.so, made into what can be run: an image
 * for the judge, a shared object for this machine, or both. Sources are built for either as far as
 * a compiler takes them, files of a kernel's arch/riscv/lib with the headers of copylib/kernel.
 * Every symbol that becomes a function here is renamed before it is linked: a routine that is named
 * memcpy would otherwise take the place of the C library's.
 */
#ifndef HARNESS_COPIES_ADDED_FILE_H
#define HARNESS_COPIES_ADDED_FILE_H

#include <limits.h>
#include <stdbool.h>

#include "harness/sim/image.h"

struct added_file {
	char path[PATH_MAX];	/* as given */
	char folder[PATH_MAX];	/* of what is made; empty: none */
	char library[PATH_MAX]; /* the shared object; empty: it is not for this machine */
	bool library_is_given;	/* its symbols have their own names */
	struct rv64_image image;
	bool has_image;
	void *image_bytes; /* owned */
};

/** False: an error was printed, which names the file and what to do. */
bool added_file_build(struct added_file *file, const char *path);

/** Removes what was made on disk; a shared object that is loaded stays so. */
void added_file_remove(struct added_file *file);

/** The image goes too. */
void added_file_free(struct added_file *file);

#endif
