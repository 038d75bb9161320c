/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* An ELF file as the interpreter needs it. See image.h. */
#include "harness/sim/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_BYTES_MAX ((uint64_t)16 << 20)

static const char *check_head(const struct elf_file *file)
{
	if (file->head.e_machine != EM_RISCV)
		return "it is not for riscv64";
	if ((file->head.e_type != ET_EXEC && file->head.e_type != ET_DYN) ||
	    file->head.e_phentsize != sizeof(Elf64_Phdr))
		return "it is not linked";
	return NULL;
}

/* Calls for each segment that is loaded; twice: first to find the extent, then to fill. */
static const char *segments(struct rv64_image *image, uint64_t *low, uint64_t *high)
{
	const Elf64_Ehdr *head = &image->file.head;

	for (unsigned int i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr segment;
		const void *bytes =
			elf_part(&image->file, head->e_phoff + (uint64_t)i * sizeof(segment),
				 sizeof(segment));

		if (!bytes)
			return "its table of segments is cut short";
		memcpy(&segment, bytes, sizeof(segment));
		if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
			continue;
		bytes = elf_part(&image->file, segment.p_offset, segment.p_filesz);
		if (!bytes || segment.p_filesz > segment.p_memsz ||
		    segment.p_memsz > IMAGE_BYTES_MAX ||
		    segment.p_vaddr > UINT64_MAX - segment.p_memsz)
			return "a segment is cut short, or too long";
		if (image->data) {
			memcpy(image->data + (segment.p_vaddr - image->address), bytes,
			       segment.p_filesz);
			continue;
		}
		if (segment.p_vaddr < *low)
			*low = segment.p_vaddr;
		if (segment.p_vaddr + segment.p_memsz > *high)
			*high = segment.p_vaddr + segment.p_memsz;
	}
	return NULL;
}

bool rv64_image_load(struct rv64_image *image, const void *file, size_t file_bytes, char *why,
		     size_t why_bytes)
{
	uint64_t low = UINT64_MAX, high = 0;
	const char *wrong;

	*image = (struct rv64_image){ 0 };
	wrong = elf_open(&image->file, file, file_bytes);
	if (!wrong)
		wrong = check_head(&image->file);
	if (!wrong)
		wrong = segments(image, &low, &high);
	if (!wrong && (low >= high || high - low > IMAGE_BYTES_MAX))
		wrong = "it has no code, or more than 16 MiB";
	if (!wrong) {
		image->address = low;
		image->bytes = high - low;
		image->data = calloc(1, image->bytes);
		wrong = image->data ? segments(image, &low, &high) : "there is no memory";
	}
	if (wrong)
		snprintf(why, why_bytes, "%s", wrong);
	return !wrong;
}

void rv64_image_free(struct rv64_image *image)
{
	free(image->data);
	image->data = NULL;
}

bool rv64_image_function(const struct rv64_image *image, const char *name, uint64_t *address,
			 size_t *bytes)
{
	struct elf_symbol symbol = { 0 };

	while (elf_next_symbol(&image->file, &symbol)) {
		if (!elf_is_global_function(&symbol) || strcmp(symbol.name, name) != 0)
			continue;
		*address = symbol.symbol.st_value;
		*bytes = symbol.symbol.st_size;
		return true;
	}
	return false;
}

/* -- fix-ups ------------------------------------------------------------------------------- */

static uint64_t word_at(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Of a field that is relative to its own address. */
static uint64_t target_of(const unsigned char *field, uint64_t address)
{
	int32_t relative;

	memcpy(&relative, field, sizeof(relative));
	return address + (uint64_t)(int64_t)relative;
}

/* Entries of so many bytes that begin with two relative fields. */
static bool find_relative(const struct rv64_image *image, const Elf64_Shdr *table,
			  size_t entry_bytes, uint64_t instruction, uint64_t *go_on)
{
	for (uint64_t at = 0; at + entry_bytes <= table->sh_size; at += entry_bytes) {
		const unsigned char *entry =
			elf_part(&image->file, table->sh_offset + at, entry_bytes);

		if (!entry)
			return false;
		if (target_of(entry, table->sh_addr + at) != instruction)
			continue;
		*go_on = target_of(entry + 4, table->sh_addr + at + 4);
		return true;
	}
	return false;
}

static bool find_absolute(const struct rv64_image *image, const Elf64_Shdr *table,
			  uint64_t instruction, uint64_t *go_on)
{
	for (uint64_t at = 0; at + 16 <= table->sh_size; at += 16) {
		const unsigned char *entry = elf_part(&image->file, table->sh_offset + at, 16);

		if (!entry)
			return false;
		if (word_at(entry) != instruction)
			continue;
		*go_on = word_at(entry + 8);
		return true;
	}
	return false;
}

/* The linker was asked to leave the relocations in. */
static bool is_absolute(const struct rv64_image *image)
{
	const unsigned char *first;
	Elf64_Shdr relocations;
	Elf64_Rela relocation;

	if (!elf_section_named(&image->file, ".rela__ex_table", &relocations))
		return false;
	first = elf_part(&image->file, relocations.sh_offset, sizeof(relocation));
	if (!first)
		return false;
	memcpy(&relocation, first, sizeof(relocation));
	return ELF64_R_TYPE(relocation.r_info) == R_RISCV_64;
}

bool rv64_image_fixup(const struct rv64_image *image, uint64_t instruction, uint64_t *go_on)
{
	Elf64_Shdr table;

	if (elf_section_named(&image->file, "copylib_fixups", &table) &&
	    find_relative(image, &table, 8, instruction, go_on))
		return true;
	if (!elf_section_named(&image->file, "__ex_table", &table))
		return false;
	return is_absolute(image) ? find_absolute(image, &table, instruction, go_on)
				  : find_relative(image, &table, 12, instruction, go_on);
}
