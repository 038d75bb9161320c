/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a kernel is to have, from words and files. See patch.h. */
#define _GNU_SOURCE /* getline() */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/board/patch.h"

static const char *const names[PATCH_ROUTINES] = { "memcpy", "memmove", "memset", "usercopy" };

const char *patch_routine_name(enum patch_routine routine)
{
	return names[routine];
}

static bool has(const struct copy_variant *variant, enum patch_routine routine)
{
	static const unsigned int functions[PATCH_ROUTINES] = { COPY_MEMCPY, COPY_MEMMOVE,
								COPY_MEMSET, COPY_USERCOPY };

	return variant->functions & functions[routine];
}

static int refuse(const struct copy_variant *variant, struct reason *reason)
{
	if (!strcmp(variant->name, "libc"))
		return reason_set(reason, "libc: a kernel has no C library");
	if (variant->needs & COPY_NEED_V)
		return reason_set(reason,
				  "%s: it needs the V extension, whose registers a kernel may use "
				  "only between kernel_vector_begin() and kernel_vector_end()",
				  variant->name);
	if (variant->needs & COPY_NEED_FAST_MISALIGNED)
		return reason_set(reason,
				  "%s: it makes misaligned accesses, and a kernel has to run where "
				  "they trap",
				  variant->name);
	if (!(variant->architectures & COPY_RISCV64))
		return reason_set(reason, "%s: it is not written for riscv64", variant->name);
	if (!strcmp(variant->name, "c-fast"))
		return reason_set(reason,
				  "c-fast: its user copy is C, whose accesses have no entries in a "
				  "kernel's exception table; take fast");
	return 0;
}

static int choose_one(const char *name, struct patch_choice *choice, struct reason *reason)
{
	const struct copy_variant *variant = copy_variant_find(name);

	if (!variant) {
		size_t used;

		reason_set(reason, "%s: no such variant; there are: stock", name);
		for (size_t i = 0; i < copy_variant_count(); i++) {
			struct reason ignored;

			variant = copy_variant_at(i);
			used = strlen(reason->text);
			if (!refuse(variant, &ignored))
				snprintf(reason->text + used, sizeof(reason->text) - used, ", %s",
					 variant->name);
		}
		used = strlen(reason->text);
		snprintf(reason->text + used, sizeof(reason->text) - used,
			 ", and several joined by +");
		return -1;
	}
	if (refuse(variant, reason))
		return -1;
	for (enum patch_routine i = 0; i < PATCH_ROUTINES; i++)
		if (has(variant, i)) {
			choice->variant[i] = variant;
			choice->added[i] = NULL;
		}
	return 0;
}

int patch_choose(const char *text, struct patch_choice *choice, struct reason *reason)
{
	char *words = strdup(text), *rest = words;
	int status = 0;

	memset(choice, 0, sizeof(*choice));
	if (!words)
		return reason_no_memory(reason);
	for (char *word; !status && (word = strsep(&rest, "+"));)
		if (strcmp(word, "stock") != 0)
			status = choose_one(word, choice, reason);
	free(words);
	return status;
}

/* A whole word of the file. */
static bool mentions(const char *line, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = line; (at = strstr(at, word)); at += length) {
		const char *before = at > line ? at - 1 : " ";
		bool begins = strspn(before, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					     "0123456789") == 0;
		bool ends = strspn(at + length, "_abcdefghijklmnopqrstuvwxyz0123456789") == 0;

		if (begins && ends)
			return true;
	}
	return false;
}

/* Does a line begin a function of this name, as kernels, copylib's users or C write it? */
static bool begins(const char *line, const char *name)
{
	if (!mentions(line, name))
		return false;
	return !strncmp(line, "SYM_FUNC_START", 14) || !strncmp(line, "ENTRY(", 6) ||
	       (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':') ||
	       (strchr(line, '(') && !strchr(line, ';') && !strncmp(line, "void ", 5));
}

int patch_choose_file(const char *path, struct patch_choice *choice, struct reason *reason)
{
	static const char *const wanted[PATCH_ROUTINES][2] = {
		{ "__memcpy", "memcpy" },
		{ "__memmove", "memmove" },
		{ "__memset", "memset" },
		{ "__asm_copy_to_user", "__asm_copy_from_user" },
	};
	size_t length = strlen(path);
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	if (!file)
		return reason_set(reason, "--add %s: %s", path, strerror(errno));
	if (length < 3 ||
	    (strcmp(path + length - 2, ".S") != 0 && strcmp(path + length - 2, ".c") != 0)) {
		fclose(file);
		return reason_set(reason, "--add %s: a kernel is built from sources: .S or .c",
				  path);
	}
	while (getline(&line, &room, file) > 0)
		for (enum patch_routine i = 0; i < PATCH_ROUTINES; i++)
			if (begins(line, wanted[i][0]) || begins(line, wanted[i][1])) {
				choice->added[i] = path;
				choice->variant[i] = NULL;
				found = true;
			}
	free(line);
	fclose(file);
	if (!found)
		return reason_set(reason,
				  "--add %s: no function in it that a kernel has: memcpy, memmove, "
				  "memset (or __memcpy, ...) or __asm_copy_to_user",
				  path);
	return 0;
}
