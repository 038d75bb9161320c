/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Routines for riscv64 in an ELF file that was linked to run at fixed addresses, or a shared object
 * that needs nothing from outside: what the interpreter runs.
 */
#ifndef HARNESS_SIM_IMAGE_H
#define HARNESS_SIM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copylib/elf_file.h"

struct rv64_image {
	uint64_t address;
	size_t bytes;
	unsigned char *data; /* as in memory from address on; owned */
	struct elf_file file;
};

/** False: it is no such file; why[0 .. why_bytes) says what is wrong with it. */
bool rv64_image_load(struct rv64_image *image, const void *file, size_t file_bytes, char *why,
		     size_t why_bytes);
void rv64_image_free(struct rv64_image *image);

/** Where a global function begins, and its length; false: there is none of that name. */
bool rv64_image_function(const struct rv64_image *image, const char *name, uint64_t *address,
			 size_t *bytes);

/**
 * Where a user copy goes on after a fault of the instruction at that address; false: the
 * instruction has no fix-up. Three kinds of tables are known: the section copylib_fixups (see
 * copylib/usercopy.h), and a kernel's __ex_table, as it is since 5.17 (12 bytes: both relative, a
 * type, data) and as it was before (two absolute words, which relocations in the file tell).
 */
bool rv64_image_fixup(const struct rv64_image *image, uint64_t instruction, uint64_t *go_on);

/** The routines of copylib that were built into this program; NULL and 0 if there are none. */
const void *rv64_builtin_variants(size_t *bytes);

#endif
