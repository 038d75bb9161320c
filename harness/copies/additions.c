/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The variants that --add brought. See additions.h. */
#define _GNU_SOURCE /* asprintf */
#include "harness/copies/additions.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copylib/added.h"
#include "harness/copies/added_file.h"
#include "harness/copies/native.h"
#include "harness/harness.h"
#include "harness/measure/interrupt.h"

#define NAME_BYTES 64
#define WHY_BYTES  512

static struct addition {
	struct added_file file;
	char name[NAME_BYTES];
	char *for_netbench;	    /* owned */
	struct subject judged;	    /* as NAME */
	struct subject judged_from; /* as NAME-from, if there is one */
} additions[COPY_ADDED_MAX];
static size_t addition_count;

static void note(struct addition *addition, const struct elf_symbol *symbol, unsigned int function,
		 bool from_user)
{
	struct subject *subject = from_user ? &addition->judged_from : &addition->judged;
	size_t i = 0;

	while (1u << i != function)
		i++;
	subject->image = &addition->file.image;
	subject->entry[i] = symbol->symbol.st_value;
	subject->code_bytes[i] = symbol->symbol.st_size;
}

/* Finds the functions in the image; their set. */
static unsigned int find_judged(struct addition *addition)
{
	const size_t copy = 3; /* the index of user copies */
	struct elf_symbol symbol = { 0 };
	unsigned int functions = 0;

	while (addition->file.has_image && elf_next_symbol(&addition->file.image.file, &symbol)) {
		bool from_user;
		unsigned int function;

		if (!elf_is_global_function(&symbol))
			continue;
		function = copy_added_function(symbol.name, &from_user);
		if (function)
			note(addition, &symbol, function, from_user);
		functions |= function;
	}
	/* One body under both names is one variant, and so is a single one. */
	if (addition->judged_from.entry[copy] == addition->judged.entry[copy])
		addition->judged_from = (struct subject){ 0 };
	if (!addition->judged.entry[copy] && addition->judged_from.entry[copy]) {
		addition->judged.image = &addition->file.image;
		addition->judged.entry[copy] = addition->judged_from.entry[copy];
		addition->judged.code_bytes[copy] = addition->judged_from.code_bytes[copy];
		addition->judged_from = (struct subject){ 0 };
	}
	return functions;
}

static bool complain(const struct addition *addition, const char *why)
{
	fprintf(stderr, "harness: --add %s: %s\n", addition->file.path, why);
	return false;
}

/* Makes it known to copylib. */
static bool announce(struct addition *addition)
{
	struct added_file *file = &addition->file;
	unsigned int functions, architectures = 0;
	struct copy_library library = { 0 };
	char why[WHY_BYTES], summary[PATH_MAX + 16];

	if (file->library[0]) {
		if (!copy_library_open(&library, file->library, why, sizeof(why)))
			return complain(addition, why);
#if defined(__x86_64__)
		architectures |= COPY_X86_64;
#elif defined(__riscv)
		architectures |= COPY_RISCV64;
#endif
		if (asprintf(&addition->for_netbench, "%s=%s", file->library, addition->name) < 0) {
			addition->for_netbench = NULL;
			return complain(addition, "there is no memory");
		}
	}
	functions = copy_library_functions(&library) | find_judged(addition);
	if (!functions)
		return complain(addition, "it defines none of " COPY_ADDED_SYMBOLS);
	if (file->has_image)
		architectures |= COPY_RISCV64;
	/* From one source for both: what is portable must not make misaligned accesses. */
	if (file->has_image && file->library[0] && !file->library_is_given)
		architectures = (unsigned int)COPY_PORTABLE;
	snprintf(summary, sizeof(summary), "added from %s", file->path);
	return copy_library_add(&library, addition->name, summary, architectures, functions,
				addition->judged_from.image != NULL, why, sizeof(why)) ||
	       complain(addition, why);
}

bool additions_add(const char *text)
{
	struct addition *addition = &additions[addition_count];
	char path[PATH_MAX];

	if (addition_count == COPY_ADDED_MAX) {
		fprintf(stderr, "harness: --add: no more than %d\n", COPY_ADDED_MAX);
		return false;
	}
	/* What is made on disk has to go, whatever comes. */
	interrupt_open();
	*addition = (struct addition){ .name = "" };
	copy_added_name(text, path, sizeof(path), addition->name, sizeof(addition->name));
	if (strlen(addition->name) == sizeof(addition->name) - 1) {
		fprintf(stderr, "harness: --add %s: the name is too long\n", text);
		return false;
	}
	addition_count++;
	return added_file_build(&addition->file, path) && announce(addition);
}

/* The addition, and whether its second variant is meant. */
static struct addition *find(const struct copy_variant *variant, bool *from_user)
{
	for (size_t i = 0; i < addition_count; i++) {
		size_t length = strlen(additions[i].name);

		if (strncmp(variant->name, additions[i].name, length) != 0)
			continue;
		*from_user = !strcmp(variant->name + length, COPY_ADDED_SUFFIX);
		if (*from_user || !variant->name[length])
			return &additions[i];
	}
	return NULL;
}

bool additions_have(const struct copy_variant *variant)
{
	bool from_user;

	return find(variant, &from_user) != NULL;
}

bool additions_find(struct subject *subject, const struct copy_variant *variant)
{
	bool from_user;
	struct addition *addition = find(variant, &from_user);

	if (!addition)
		return false;
	*subject = from_user ? addition->judged_from : addition->judged;
	subject->variant = variant;
	return subject->image != NULL;
}

const char *additions_for_netbench(size_t index)
{
	return index < addition_count ? additions[index].for_netbench : NULL;
}

const char *additions_path(size_t index)
{
	return index < addition_count ? additions[index].file.path : NULL;
}

static bool verify(const struct addition *addition, int *status)
{
	const struct copy_variant *variant = copy_variant_find(addition->name);
	struct trials_result result;
	char repeat[256];

	if (!variant || !variant->memcpy) {
		*status = HARNESS_USAGE;
		return complain(addition,
				"it has no memcpy for this machine, so it cannot be a column");
	}
	native_function(variant, 0, &trials_quick, NULL, NULL, &result);
	if (!result.wrong)
		return true;
	*status = HARNESS_FAILED;
	trials_print_case(&result.first_wrong, repeat, sizeof(repeat));
	fprintf(stderr,
		"harness: --add %s: its memcpy is wrong, so it is not measured: %s\n"
		"  again: harness copy verify %s --add %s=%s --here %s\n",
		addition->file.path, result.problem, addition->name, addition->file.path,
		addition->name, repeat);
	return false;
}

bool additions_verify(int *status)
{
	for (size_t i = 0; i < addition_count; i++)
		if (!verify(&additions[i], status))
			return false;
	return true;
}

void additions_free(void)
{
	for (size_t i = 0; i < addition_count; i++) {
		added_file_free(&additions[i].file);
		free(additions[i].for_netbench);
	}
	addition_count = 0;
}
