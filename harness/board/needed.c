/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Needed: DT_NEEDED of the dynamic section, found by the program headers as a loader finds it. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/board/needed.h"

struct file {
	const unsigned char *data;
	size_t bytes;
};

/* This part of the file, if it is all there. */
static const void *part_of(const struct file *file, uint64_t offset, uint64_t bytes)
{
	if (offset > file->bytes || bytes > file->bytes - offset)
		return NULL;
	return file->data + offset;
}

static const Elf64_Phdr *headers_of(const struct file *file, size_t *count)
{
	const Elf64_Ehdr *head = part_of(file, 0, sizeof(*head));

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phoff % 8)
		return NULL;
	*count = head->e_phnum;
	return part_of(file, head->e_phoff, *count * sizeof(Elf64_Phdr));
}

/* The text at this address of the loaded program, NUL and all. */
static const char *text_at(const struct file *file, const Elf64_Phdr *headers, size_t count,
			   uint64_t address)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t into = address - headers[i].p_vaddr;
		const char *text;

		if (headers[i].p_type != PT_LOAD || address < headers[i].p_vaddr ||
		    into >= headers[i].p_filesz)
			continue;
		text = part_of(file, headers[i].p_offset + into, 1);
		if (text &&
		    memchr(text, '\0',
			   headers[i].p_filesz - into < file->bytes - headers[i].p_offset - into
				   ? headers[i].p_filesz - into
				   : file->bytes - headers[i].p_offset - into))
			return text;
	}
	return NULL;
}

static int for_each(const struct file *file, int (*each)(void *context, const char *name),
		    void *context, bool *whole)
{
	size_t count = 0, entries = 0;
	const Elf64_Phdr *headers = headers_of(file, &count);
	const Elf64_Dyn *dynamic = NULL;
	uint64_t strings = 0;
	int status = 0;

	*whole = headers;
	for (size_t i = 0; headers && i < count; i++)
		if (headers[i].p_type == PT_DYNAMIC && headers[i].p_offset % 8 == 0) {
			dynamic = part_of(file, headers[i].p_offset, headers[i].p_filesz);
			entries = headers[i].p_filesz / sizeof(*dynamic);
			*whole = dynamic;
		}
	for (size_t i = 0; dynamic && i < entries; i++)
		if (dynamic[i].d_tag == DT_STRTAB)
			strings = dynamic[i].d_un.d_ptr;
	for (size_t i = 0; dynamic && i < entries && !status && *whole; i++) {
		const char *name;

		if (dynamic[i].d_tag != DT_NEEDED)
			continue;
		name = text_at(file, headers, count, strings + dynamic[i].d_un.d_val);
		*whole = name;
		if (name)
			status = each(context, name);
	}
	return status;
}

int needed_for_each(const char *path, int (*each)(void *context, const char *name), void *context,
		    struct reason *reason)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file file;
	struct stat about;
	bool whole = false;
	int status = 0;
	void *data;

	if (fd < 0 || fstat(fd, &about)) {
		reason_set(reason, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	data = about.st_size > 0 ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
				 : MAP_FAILED;
	close(fd);
	if (data != MAP_FAILED) {
		file.data = data;
		file.bytes = (size_t)about.st_size;
		status = for_each(&file, each, context, &whole);
		munmap(data, file.bytes);
	}
	if (!whole)
		return reason_set(reason, "%s: this is no whole 64-bit ELF file", path);
	return status;
}
