/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Variants from shared objects. See added.h. */
#include "copylib/added.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copylib/elf_file.h"
#include "copylib/usercopy.h"

#define NAME_BYTES 64

#if defined(__riscv)
#define MACHINE_HERE	  EM_RISCV
#define ARCHITECTURE_HERE COPY_RISCV64
#elif defined(__x86_64__)
#define MACHINE_HERE	  EM_X86_64
#define ARCHITECTURE_HERE COPY_X86_64
#else
#define MACHINE_HERE	  EM_NONE
#define ARCHITECTURE_HERE 0
#endif

unsigned int copy_added_function(const char *symbol, bool *copies_from_user)
{
	static const struct {
		const char *symbol;
		unsigned int function;
	} known[] = {
		{ "memcpy", COPY_MEMCPY },
		{ "__memcpy", COPY_MEMCPY },
		{ "memmove", COPY_MEMMOVE },
		{ "__memmove", COPY_MEMMOVE },
		{ "memset", COPY_MEMSET },
		{ "__memset", COPY_MEMSET },
		{ "__asm_copy_to_user", COPY_USERCOPY },
		{ "__asm_copy_from_user", COPY_USERCOPY },
		{ "__clear_user", COPY_CLEARUSER },
	};

	if (!strncmp(symbol, COPY_ADDED_PREFIX, strlen(COPY_ADDED_PREFIX)))
		symbol += strlen(COPY_ADDED_PREFIX);
	*copies_from_user = !strcmp(symbol, "__asm_copy_from_user");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].symbol, symbol))
			return known[i].function;
	return 0;
}

/* -- the file ------------------------------------------------------------------------------ */

/* The dynamic linker trusts it: pages behind the end of a file that was cut short raise SIGBUS. */
static bool is_whole(const struct elf_file *file)
{
	Elf64_Shdr last;

	for (unsigned int i = 0; i < file->head.e_phnum; i++) {
		const void *bytes =
			elf_part(file, file->head.e_phoff + (uint64_t)i * sizeof(Elf64_Phdr),
				 sizeof(Elf64_Phdr));
		Elf64_Phdr segment;

		if (!bytes)
			return false;
		memcpy(&segment, bytes, sizeof(segment));
		if (!elf_part(file, segment.p_offset, segment.p_filesz))
			return false;
	}
	return file->head.e_shnum == 0 || elf_section(file, file->head.e_shnum - 1U, &last);
}

static const char *wrong_kind(const struct elf_file *file)
{
	if (file->head.e_machine != MACHINE_HERE)
		return "it is for another machine than this one";
	if (file->head.e_type != ET_DYN)
		return "it is no shared object";
	return is_whole(file) ? NULL : "it is cut short";
}

static void note(struct copy_library *library, unsigned int function, bool from_user, void *address)
{
	switch (function) {
	case COPY_MEMCPY:
		library->memcpy = (copy_memcpy_fn *)(uintptr_t)address;
		break;
	case COPY_MEMMOVE:
		library->memmove = (copy_memmove_fn *)(uintptr_t)address;
		break;
	case COPY_MEMSET:
		library->memset = (copy_memset_fn *)(uintptr_t)address;
		break;
	case COPY_USERCOPY:
		*(from_user ? &library->usercopy_from : &library->usercopy) =
			(copy_usercopy_fn *)(uintptr_t)address;
		break;
	case COPY_CLEARUSER:
		library->clearuser = (copy_clearuser_fn *)(uintptr_t)address;
		break;
	}
}

/* Finds the functions; *base becomes what is added to addresses in the file. */
static bool find_functions(struct copy_library *library, const struct elf_file *file, void *handle,
			   uintptr_t *base)
{
	struct elf_symbol symbol = { 0 };
	bool found = false, from_user;

	while (elf_next_symbol(file, &symbol)) {
		unsigned int function;
		void *address;

		if (!elf_is_global_function(&symbol))
			continue;
		function = copy_added_function(symbol.name, &from_user);
		address = function ? dlsym(handle, symbol.name) : NULL;
		if (!address)
			continue;
		*base = (uintptr_t)address - symbol.symbol.st_value;
		note(library, function, from_user, address);
		found = true;
	}
	if (library->usercopy == library->usercopy_from)
		library->usercopy_from = NULL;
	if (!library->usercopy) {
		library->usercopy = library->usercopy_from;
		library->usercopy_from = NULL;
	}
	return found;
}

/* A kernel's table of absolute words is one that the dynamic linker has to relocate. */
static bool has_relocation(const struct elf_file *file, const Elf64_Shdr *table)
{
	Elf64_Shdr relocations;
	Elf64_Rela relocation;

	if (!elf_section_named(file, ".rela.dyn", &relocations))
		return false;
	for (uint64_t at = 0; at + sizeof(relocation) <= relocations.sh_size;
	     at += sizeof(relocation)) {
		const void *bytes = elf_part(file, relocations.sh_offset + at, sizeof(relocation));

		if (!bytes)
			return false;
		memcpy(&relocation, bytes, sizeof(relocation));
		if (relocation.r_offset - table->sh_addr < table->sh_size)
			return true;
	}
	return false;
}

static int add_fixups(const struct elf_file *file, uintptr_t base)
{
	Elf64_Shdr table;
	int error = 0;

	if (elf_section_named(file, "copylib_fixups", &table))
		error = copy_faults_add_table(COPY_FIXUP_COPYLIB, base + table.sh_addr,
					      table.sh_size);
	if (!error && MACHINE_HERE == EM_RISCV && elf_section_named(file, "__ex_table", &table))
		error = copy_faults_add_table(has_relocation(file, &table) ? COPY_FIXUP_ABSOLUTE
									   : COPY_FIXUP_KERNEL,
					      base + table.sh_addr, table.sh_size);
	return error;
}

static bool load(struct copy_library *library, const struct elf_file *file, const char *path,
		 char *why, size_t why_bytes)
{
	const char *wrong = wrong_kind(file);
	uintptr_t base = 0;
	char *whole;
	void *handle;

	if (wrong) {
		snprintf(why, why_bytes, "%s", wrong);
		return false;
	}
	whole = realpath(path, NULL); /* without a slash it would be searched for */
	handle = dlopen(whole ? whole : path, RTLD_NOW | RTLD_LOCAL);
	free(whole);
	if (!handle) {
		snprintf(why, why_bytes, "%s", dlerror());
		return false;
	}
	if (!find_functions(library, file, handle, &base)) {
		snprintf(why, why_bytes, "it defines none of %s", COPY_ADDED_SYMBOLS);
		dlclose(handle);
		return false;
	}
	if (add_fixups(file, base) < 0) {
		snprintf(why, why_bytes, "there are too many tables of fix-ups already");
		return false;
	}
	return true;
}

bool copy_library_open(struct copy_library *library, const char *path, char *why, size_t why_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would keep us */
	void *bytes = MAP_FAILED;
	struct elf_file file;
	struct stat status;
	const char *wrong;
	bool loaded = false;

	*library = (struct copy_library){ 0 };
	if (fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode)) {
		snprintf(why, why_bytes, "it is no regular file");
		close(fd);
		return false;
	}
	if (fd >= 0 && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		snprintf(why, why_bytes, "%s",
			 fd < 0 || status.st_size > 0 ? strerror(errno) : "it is empty");
	} else {
		wrong = elf_open(&file, bytes, (size_t)status.st_size);
		if (wrong)
			snprintf(why, why_bytes, "%s", wrong);
		else
			loaded = load(library, &file, path, why, why_bytes);
		munmap(bytes, (size_t)status.st_size);
	}
	if (fd >= 0)
		close(fd);
	return loaded;
}

unsigned int copy_library_functions(const struct copy_library *library)
{
	return (library->memcpy ? COPY_MEMCPY : 0u) | (library->memmove ? COPY_MEMMOVE : 0u) |
	       (library->memset ? COPY_MEMSET : 0u) | (library->usercopy ? COPY_USERCOPY : 0u) |
	       (library->clearuser ? COPY_CLEARUSER : 0u);
}

/* -- variants ------------------------------------------------------------------------------ */

static const char *keep_text(const char *text, const char *more)
{
	size_t bytes = strlen(text) + strlen(more) + 1;
	char *kept = malloc(bytes);

	if (kept)
		snprintf(kept, bytes, "%s%s", text, more);
	return kept;
}

/* Of a variant that was not taken. */
static bool forget_texts(const struct copy_variant *variant)
{
	free((char *)variant->name);
	free((char *)variant->summary);
	return false;
}

bool copy_library_add(const struct copy_library *library, const char *name, const char *summary,
		      unsigned int architectures, unsigned int functions, bool has_from, char *why,
		      size_t why_bytes)
{
	struct copy_variant variant = {
		.name = keep_text(name, ""),
		.credit = "-",
		.summary = keep_text(summary, ""),
		.functions = functions,
		.architectures = architectures,
		.memcpy = library->memcpy,
		.memmove = library->memmove,
		.memset = library->memset,
		.usercopy = library->usercopy,
		.clearuser = library->clearuser,
	};
	struct copy_variant from = variant;

	if (!variant.name || !variant.summary) {
		snprintf(why, why_bytes, "there is no memory");
		return forget_texts(&variant);
	}
	if (!copy_variant_add(&variant, why, why_bytes))
		return forget_texts(&variant);
	if (!has_from && !library->usercopy_from)
		return true;
	from.name = keep_text(name, COPY_ADDED_SUFFIX);
	from.functions = COPY_USERCOPY;
	from.memcpy = NULL;
	from.memmove = NULL;
	from.memset = NULL;
	from.clearuser = NULL;
	from.usercopy = library->usercopy_from;
	if (from.name && copy_variant_add(&from, why, why_bytes))
		return true;
	if (!from.name)
		snprintf(why, why_bytes, "there is no memory");
	free((char *)from.name);
	return false;
}

void copy_added_name(const char *text, char *path, size_t path_bytes, char *name, size_t name_bytes)
{
	const char *equals = access(text, F_OK) == 0 ? NULL : strrchr(text, '=');
	const char *base;

	if (equals && !strchr(equals, '/')) {
		snprintf(path, path_bytes, "%.*s", (int)(equals - text), text);
		snprintf(name, name_bytes, "%s", equals + 1);
		return;
	}
	snprintf(path, path_bytes, "%s", text);
	base = strrchr(text, '/');
	base = base ? base + 1 : text;
	snprintf(name, name_bytes, "%.*s", (int)strcspn(base, "."), base);
}

bool copy_variant_add_file(const char *text, char *why, size_t why_bytes)
{
	char path[4096], name[NAME_BYTES], summary[4096 + 16];
	struct copy_library library;

	copy_added_name(text, path, sizeof(path), name, sizeof(name));
	if (!copy_library_open(&library, path, why, why_bytes))
		return false;
	snprintf(summary, sizeof(summary), "added from %s", path);
	return copy_library_add(&library, name, summary, ARCHITECTURE_HERE,
				copy_library_functions(&library), false, why, why_bytes);
}
