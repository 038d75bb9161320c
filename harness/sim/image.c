/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* An ELF file as the interpreter needs it. See image.h. */
#include "harness/sim/image.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_BYTES_MAX ((uint64_t)16 << 20)

/* Part of the file, if it lies inside. */
static const void *part(const struct rv64_image *image, uint64_t offset, uint64_t bytes)
{
	if (offset > image->file_bytes || bytes > image->file_bytes - offset)
		return NULL;
	return image->file + offset;
}

/* The file may lie anywhere in memory, so its structures are copied out. */
static bool read_at(const struct rv64_image *image, uint64_t offset, void *into, size_t bytes)
{
	const void *at = part(image, offset, bytes);

	if (at)
		memcpy(into, at, bytes);
	return at != NULL;
}

static bool section(const struct rv64_image *image, const Elf64_Ehdr *head, unsigned int index,
		    Elf64_Shdr *found)
{
	return index < head->e_shnum &&
	       read_at(image, head->e_shoff + (uint64_t)index * sizeof(*found), found,
		       sizeof(*found));
}

static const char *check_head(const struct rv64_image *image, Elf64_Ehdr *head)
{
	if (!read_at(image, 0, head, sizeof(*head)) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
		return "it is no ELF file";
	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_RISCV)
		return "it is not for riscv64";
	if (head->e_type != ET_EXEC || head->e_phentsize != sizeof(Elf64_Phdr) ||
	    head->e_shentsize != sizeof(Elf64_Shdr))
		return "it is not linked to run at fixed addresses";
	return NULL;
}

/* Calls for each segment that is loaded; twice: first to find the extent, then to fill. */
static const char *segments(struct rv64_image *image, const Elf64_Ehdr *head, uint64_t *low,
			    uint64_t *high)
{
	for (unsigned int i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr segment;
		const void *bytes;

		if (!read_at(image, head->e_phoff + (uint64_t)i * sizeof(segment), &segment,
			     sizeof(segment)))
			return "its table of segments is cut short";
		if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
			continue;
		bytes = part(image, segment.p_offset, segment.p_filesz);
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
	Elf64_Ehdr head;
	const char *wrong;

	*image = (struct rv64_image){ .file = file, .file_bytes = file_bytes };
	wrong = check_head(image, &head);
	if (!wrong)
		wrong = segments(image, &head, &low, &high);
	if (!wrong && (low >= high || high - low > IMAGE_BYTES_MAX))
		wrong = "it has no code, or more than 16 MiB";
	if (!wrong) {
		image->address = low;
		image->bytes = high - low;
		image->data = calloc(1, image->bytes);
		wrong = image->data ? segments(image, &head, &low, &high) : "there is no memory";
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
	Elf64_Ehdr head;
	Elf64_Shdr symbols, strings;

	read_at(image, 0, &head, sizeof(head));
	for (unsigned int i = 0; i < head.e_shnum; i++) {
		if (!section(image, &head, i, &symbols) || symbols.sh_type != SHT_SYMTAB ||
		    !section(image, &head, symbols.sh_link, &strings))
			continue;
		for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size;
		     at += sizeof(Elf64_Sym)) {
			size_t length = strlen(name) + 1;
			const char *its_name;
			Elf64_Sym symbol;

			if (!read_at(image, symbols.sh_offset + at, &symbol, sizeof(symbol)) ||
			    ELF64_ST_TYPE(symbol.st_info) != STT_FUNC)
				continue;
			its_name = part(image, strings.sh_offset + symbol.st_name, length);
			if (!its_name || memcmp(its_name, name, length) != 0)
				continue;
			*address = symbol.st_value;
			*bytes = symbol.st_size;
			return true;
		}
	}
	return false;
}

static bool named_section(const struct rv64_image *image, const char *name, Elf64_Shdr *found)
{
	Elf64_Ehdr head;
	Elf64_Shdr names;
	size_t length = strlen(name) + 1;

	read_at(image, 0, &head, sizeof(head));
	if (!section(image, &head, head.e_shstrndx, &names))
		return false;
	for (unsigned int i = 0; section(image, &head, i, found); i++) {
		const char *its_name = part(image, names.sh_offset + found->sh_name, length);

		if (its_name && memcmp(its_name, name, length) == 0)
			return true;
	}
	return false;
}

bool rv64_image_fixup(const struct rv64_image *image, uint64_t instruction, uint64_t *go_on)
{
	Elf64_Shdr table;

	if (!named_section(image, "copylib_fixups", &table))
		return false;
	for (uint64_t at = 0; at + 8 <= table.sh_size; at += 8) {
		int32_t entry[2];

		if (!read_at(image, table.sh_offset + at, entry, sizeof(entry)))
			return false;
		if (table.sh_addr + at + (uint64_t)(int64_t)entry[0] != instruction)
			continue;
		*go_on = table.sh_addr + at + 4 + (uint64_t)(int64_t)entry[1];
		return true;
	}
	return false;
}
