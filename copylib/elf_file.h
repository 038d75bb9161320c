/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is asked of an ELF file of 64 bits, little-endian, for whatever machine: sections by name,
 * symbols one after the other. Nothing in the file is trusted; it may be cut short anywhere.
 */
#ifndef COPYLIB_ELF_FILE_H
#define COPYLIB_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
	const unsigned char *bytes; /* the caller's, as long as this is used */
	size_t size;
	Elf64_Ehdr head;
};

struct elf_symbol {
	const char *name; /* in the file */
	Elf64_Sym symbol;
	/* Where the search goes on: all 0 at first. */
	unsigned int section;
	uint64_t offset;
};

/** NULL: it is such a file; else what is wrong with it. */
const char *elf_open(struct elf_file *file, const void *bytes, size_t size);

/** A part of the file; NULL: it does not lie inside. */
const void *elf_part(const struct elf_file *file, uint64_t offset, uint64_t bytes);

bool elf_section(const struct elf_file *file, unsigned int index, Elf64_Shdr *section);
bool elf_section_named(const struct elf_file *file, const char *name, Elf64_Shdr *section);

/** The next symbol of the tables, dynamic ones last; false: there is none left. */
bool elf_next_symbol(const struct elf_file *file, struct elf_symbol *symbol);

/** A function that is defined in the file and visible outside. */
bool elf_is_global_function(const struct elf_symbol *symbol);

#endif
