/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The Makefiles of arch/riscv/lib and of the purgatory, which links some of the same files: what
 * became C has flags and rules of its own, and what is in another's file has none.
 */
#define _GNU_SOURCE /* getline() */
#include <stdlib.h>
#include <string.h>

#include "harness/board/patch_private.h"

static bool names_object(const char *line, enum patch_routine routine)
{
	char object[32];

	snprintf(object, sizeof(object), " %s.o", patch_routine_name(routine));
	return strstr(line, object) || (strchr(line, '\t') && strstr(line, object + 1));
}

static void write_lib_line(const struct patch *patch, const char *line, FILE *out)
{
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++) {
		const char *name = patch_routine_name(i);

		if (strncmp(line, "lib-y", 5) != 0 || !names_object(line, i))
			continue;
		if (patch->merged[i])
			return;
		fputs(line, out);
		if (i == PATCH_MEMCPY && patch->needed)
			fprintf(out, "lib-y			+= memcpy-%s.o\n",
				patch->needed->name);
		if (patch->c[i])
			fprintf(out,
				"CFLAGS_%s.o		:= " C_FLAGS "\n"
				"CFLAGS_REMOVE_%s.o	:= $(CC_FLAGS_FTRACE)\n"
				"KASAN_SANITIZE_%s.o	:= n\n",
				name, name, name);
		return;
	}
	fputs(line, out);
}

/* Takes " memset.o" out of a list. */
static void drop_word(char *line, const char *word)
{
	char *at = strstr(line, word);

	if (at)
		memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

/* The purgatory has no memmove; but the memcpy.S of a variant that has a file for each may call
 * into that of its memmove. */
static bool needs_memmove(const struct patch *patch)
{
	const struct copy_variant *variant = patch->choice->variant[PATCH_MEMCPY];

	return variant && variant == patch->choice->variant[PATCH_MEMMOVE] &&
	       *patch->path[PATCH_MEMMOVE] && !patch->merged[PATCH_MEMMOVE];
}

static void write_purgatory_list(const struct patch *patch, char *line, FILE *out)
{
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++) {
		char object[32];

		snprintf(object, sizeof(object), " %s.o", patch_routine_name(i));
		if (patch->merged[i])
			drop_word(line, object);
	}
	if (!strstr(line, " memcpy.o")) {
		fputs(line, out);
		return;
	}
	fprintf(out, "%.*s", (int)strcspn(line, "\n"), line);
	if (patch->needed)
		fprintf(out, " memcpy-%s.o", patch->needed->name);
	if (needs_memmove(patch))
		fputs(" memmove.o", out);
	fputc('\n', out);
}

/* A rule is two lines and an empty one; it is about the routine in its first. */
static enum patch_routine rule_of(const char *line)
{
	char name[32];

	if (sscanf(line, "$(obj)/%31[a-z].o: $(srctree)/arch/riscv/lib/", name) == 1)
		for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++)
			if (!strcmp(name, patch_routine_name(i)))
				return i;
	return MEMORY_ROUTINES;
}

static void write_purgatory_rule(const struct patch *patch, enum patch_routine routine,
				 const char *line, FILE *out)
{
	const char *name = patch_routine_name(routine);

	if (!patch->merged[routine] && !patch->c[routine])
		fputs(line, out);
	else if (!patch->merged[routine])
		fprintf(out, "$(obj)/%s.o: $(srctree)/" LIB "/%s.c FORCE\n", name, name);
}

static void write_purgatory_action(const struct patch *patch, enum patch_routine routine,
				   const char *line, FILE *out)
{
	const char *name = patch_routine_name(routine);

	if (patch->merged[routine])
		return;
	if (!patch->c[routine]) {
		fputs(line, out);
		if (routine == PATCH_MEMCPY && needs_memmove(patch))
			fputs("\n$(obj)/memmove.o: $(srctree)/" LIB "/memmove.S FORCE\n"
			      "	$(call if_changed_rule,as_o_S)\n",
			      out);
		return;
	}
	fprintf(out,
		"	$(call if_changed_rule,cc_o_c)\n\n"
		"CFLAGS_%s.o := " C_FLAGS "\n",
		name);
	if (routine == PATCH_MEMCPY && patch->needed)
		fprintf(out,
			"\n$(obj)/memcpy-%s.o: $(srctree)/" LIB "/memcpy-%s.S FORCE\n"
			"	$(call if_changed_rule,as_o_S)\n",
			patch->needed->name, patch->needed->name);
}

/* Where the flags of the other C files of it are, behind the last of them. */
static void write_purgatory_flags(const struct patch *patch, FILE *out)
{
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++)
		if (patch->c[i] && !patch->merged[i])
			fprintf(out,
				"\nCFLAGS_REMOVE_%s.o	+= $(PURGATORY_CFLAGS_REMOVE)\n"
				"CFLAGS_%s.o		+= $(PURGATORY_CFLAGS)\n",
				patch_routine_name(i), patch_routine_name(i));
}

static void write_purgatory(const struct patch *patch, FILE *in, FILE *out)
{
	enum patch_routine rule = MEMORY_ROUTINES, next;
	char *line = NULL;
	size_t room = 0;
	bool dropping = false;

	while (getline(&line, &room, in) > 0) {
		next = rule_of(line);
		if (next < MEMORY_ROUTINES) {
			rule = next;
			write_purgatory_rule(patch, rule, line, out);
		} else if (rule < MEMORY_ROUTINES) {
			write_purgatory_action(patch, rule, line, out);
			dropping = patch->merged[rule];
			rule = MEMORY_ROUTINES;
		} else if (dropping && *line == '\n') {
			dropping = false;
		} else if (!strncmp(line, "purgatory-y", 11)) {
			write_purgatory_list(patch, line, out);
		} else {
			fputs(line, out);
			if (!strncmp(line, "CFLAGS_ctype.o", 14) &&
			    strstr(line, "PURGATORY_CFLAGS"))
				write_purgatory_flags(patch, out);
		}
	}
	free(line);
}

int patch_write_makefiles(const struct patch *patch)
{
	FILE *in = patch_open(patch, patch->tree, "", LIB_MAKEFILE, "re");
	FILE *out = in ? patch_open(patch, patch->folder, "b/", LIB_MAKEFILE, "we") : NULL;
	char *line = NULL;
	size_t room = 0;

	while (out && getline(&line, &room, in) > 0)
		write_lib_line(patch, line, out);
	free(line);
	if (in)
		fclose(in);
	if (!out || patch_close_written(patch, out, LIB_MAKEFILE))
		return -1;
	in = patch_open(patch, patch->tree, "", PURGATORY_MAKEFILE, "re");
	out = in ? patch_open(patch, patch->folder, "b/", PURGATORY_MAKEFILE, "we") : NULL;
	if (out)
		write_purgatory(patch, in, out);
	if (in)
		fclose(in);
	return out ? patch_close_written(patch, out, PURGATORY_MAKEFILE) : -1;
}
