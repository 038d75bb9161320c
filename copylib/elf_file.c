/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* An ELF file. See elf_file.h. */
#include "copylib/elf_file.h"

#include <string.h>

const void *elf_part(const struct elf_file *file, uint64_t offset, uint64_t bytes)
{
	if (offset > file->size || bytes > file->size - offset)
		return NULL;
	return file->bytes + offset;
}

/* The file may lie anywhere in memory, so its structures are copied out. */
static bool read_at(const struct elf_file *file, uint64_t offset, void *into, size_t bytes)
{
	const void *at = elf_part(file, offset, bytes);

	if (at)
		memcpy(into, at, bytes);
	return at != NULL;
}

/* A string that ends inside the file. */
static const char *text_at(const struct elf_file *file, uint64_t offset)
{
	const char *text = elf_part(file, offset, 1);

	return text && memchr(text, 0, file->size - offset) ? text : NULL;
}

const char *elf_open(struct elf_file *file, const void *bytes, size_t size)
{
	*file = (struct elf_file){ .bytes = bytes, .size = size };
	if (!read_at(file, 0, &file->head, sizeof(file->head)) ||
	    memcmp(file->head.e_ident, ELFMAG, SELFMAG) != 0)
		return "it is no ELF file";
	if (file->head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    file->head.e_ident[EI_DATA] != ELFDATA2LSB)
		return "it is not for a little-endian machine of 64 bits";
	if (file->head.e_shnum > 0 && file->head.e_shentsize != sizeof(Elf64_Shdr))
		return "its table of sections has another shape than known here";
	return NULL;
}

bool elf_section(const struct elf_file *file, unsigned int index, Elf64_Shdr *section)
{
	return index < file->head.e_shnum &&
	       read_at(file, file->head.e_shoff + (uint64_t)index * sizeof(*section), section,
		       sizeof(*section));
}

bool elf_section_named(const struct elf_file *file, const char *name, Elf64_Shdr *section)
{
	Elf64_Shdr names;

	if (!elf_section(file, file->head.e_shstrndx, &names))
		return false;
	for (unsigned int i = 0; elf_section(file, i, section); i++) {
		const char *its_name = text_at(file, names.sh_offset + section->sh_name);

		if (its_name && !strcmp(its_name, name))
			return true;
	}
	return false;
}

/* Two rounds over the sections: the full table of symbols, and the dynamic one. */
bool elf_next_symbol(const struct elf_file *file, struct elf_symbol *symbol)
{
	for (; symbol->section < 2U * file->head.e_shnum; symbol->section++, symbol->offset = 0) {
		uint32_t type = symbol->section < file->head.e_shnum ? SHT_SYMTAB : SHT_DYNSYM;
		Elf64_Shdr table, strings;

		if (!elf_section(file, symbol->section % file->head.e_shnum, &table) ||
		    table.sh_type != type || !elf_section(file, table.sh_link, &strings))
			continue;
		while (symbol->offset + sizeof(Elf64_Sym) <= table.sh_size) {
			uint64_t at = table.sh_offset + symbol->offset;

			symbol->offset += sizeof(Elf64_Sym);
			if (!read_at(file, at, &symbol->symbol, sizeof(symbol->symbol)))
				break;
			symbol->name = text_at(file, strings.sh_offset + symbol->symbol.st_name);
			if (symbol->name)
				return true;
		}
	}
	return false;
}

bool elf_is_global_function(const struct elf_symbol *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->symbol.st_info);

	return (type == STT_FUNC || type == STT_NOTYPE) && symbol->symbol.st_shndx != SHN_UNDEF &&
	       ELF64_ST_BIND(symbol->symbol.st_info) != STB_LOCAL;
}
