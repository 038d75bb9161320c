/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Patch source: line by line, as copylib writes its sources. */
#define _GNU_SOURCE /* getline() */
#include "harness/board/patch_source.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Headers whose place the kernel's own take. */
static const struct {
	const char *path, *text;
} replaced[] = {
	{ "copylib/function.h", "" },
	{ "copylib/riscv64/routine.h", "#define WORD 8\n" },
	{ "copylib/variant.h", "" },
};

static const char user_access[] = "/* An access that may fault, and where to go on then: never a "
				  "compressed one, since the table\n"
				  " * holds where it begins. */\n"
				  ".macro may_fault label, instruction:vararg\n"
				  "	.option	push\n"
				  "	.option	norvc\n"
				  ".Lfault\\@:\n"
				  "	\\instruction\n"
				  "	.option	pop\n"
				  "%s"
				  ".endm\n"
				  "\n"
				  "/* The way out, from a fault too: nobody may reach user memory "
				  "by mistake from here on. */\n"
				  ".macro end_user_access\n"
				  "	li	t6, SR_SUM\n"
				  "	csrc	CSR_STATUS, t6\n"
				  ".endm\n";
static const char new_entry[] = "	_asm_extable	.Lfault\\@, \\label\n";
static const char old_entry[] = "	.section __ex_table, \"a\"\n"
				"	.balign	RISCV_SZPTR\n"
				"	RISCV_PTR	.Lfault\\@, \\label\n"
				"	.previous\n";

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Writes a line with whole words renamed. */
static void write_renamed(const struct patch_source *source, const char *line, FILE *out)
{
	const char *at = line;

	while (*at) {
		size_t length = 0, i = 0;

		while (is_word(at[length]))
			length++;
		if (!length) {
			putc(*at++, out);
			continue;
		}
		while (i < source->names && (strlen(source->from[i]) != length ||
					     strncmp(source->from[i], at, length) != 0))
			i++;
		if (i < source->names)
			fputs(source->to[i], out);
		else
			fwrite(at, 1, length, out);
		at += length;
	}
}

static const char *renamed(const struct patch_source *source, const char *name)
{
	for (size_t i = 0; i < source->names; i++)
		if (!strcmp(source->from[i], name))
			return source->to[i];
	return name;
}

static void note_define(struct patch_source *source, const char *line)
{
	char name[24];

	if (sscanf(line, "#define %23[A-Za-z0-9_]", name) == 1 &&
	    source->defines < sizeof(source->defined) / sizeof(source->defined[0]))
		strcpy(source->defined[source->defines++], name);
}

void patch_source_undefine(const struct patch_source *source, FILE *out)
{
	fputs("#undef WORD\n", out);
	for (size_t i = 0; i < source->defines; i++)
		fprintf(out, "#undef %s\n", source->defined[i]);
}

static int write_file(struct patch_source *source, const char *path, FILE *out,
		      struct reason *reason);

static int include(struct patch_source *source, const char *path, FILE *out, struct reason *reason)
{
	for (size_t i = 0; i < source->includes; i++)
		if (!strcmp(source->included[i], path))
			return 0;
	if (source->includes == PATCH_INCLUDES_MAX || strlen(path) >= sizeof(source->included[0]))
		return reason_set(reason, "%s: too many files are included", path);
	strcpy(source->included[source->includes++], path);
	for (size_t i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++)
		if (!strcmp(replaced[i].path, path)) {
			fputs(replaced[i].text, out);
			if (source->usercopy && *replaced[i].text)
				fprintf(out, user_access,
					source->old_table ? old_entry : new_entry);
			return 0;
		}
	return write_file(source, path, out, reason);
}

/* In assembly a function that may leave user memory open must not return like any other. */
static bool write_return(const struct patch_source *source, const char *line, FILE *out)
{
	if (!source->usercopy || strcmp(line, "\tret\n") != 0)
		return false;
	fputs("\tend_user_access\n\tret\n", out);
	return true;
}

bool patch_line_begins(const char *line, char *name, size_t size)
{
	char found[64];

	if (sscanf(line, "\tfunction %63[a-z0-9_]", found) != 1 &&
	    (!strchr(line, '(') || strchr(line, ';') ||
	     (sscanf(line, "void *%63[a-z0-9_](", found) != 1 &&
	      sscanf(line, "size_t %63[a-z0-9_](", found) != 1)))
		return false;
	snprintf(name, size, "%s", found);
	return true;
}

/*
 * A macro named finish returns, and its length matters to rows of code that are jumped into: so it
 * jumps to where the way out is.
 */
static bool write_finish(struct patch_source *source, const char *line, FILE *out)
{
	if (!source->usercopy)
		return false;
	if (!strcmp(line, ".macro finish\n")) {
		fputs(".macro finish\n\tj	.Lfinished\n.endm\n", out);
		source->has_finish = source->in_finish = true;
		return true;
	}
	if (!source->in_finish)
		return false;
	source->in_finish = strcmp(line, ".endm\n");
	return true;
}

static int write_line(struct patch_source *source, const char *line, FILE *out,
		      struct reason *reason)
{
	char name[128];

	if (strstr(line, "SPDX-License-Identifier") || write_finish(source, line, out))
		return 0;
	if (sscanf(line, "#include \"%127[^\"]\"", name) == 1)
		return include(source, name, out, reason);
	if (!strncmp(line, "#include <std", 13))
		return 0; /* <linux/types.h> at the head has it all */
	note_define(source, line);
	if (sscanf(line, "\tfunction %127[a-z0-9_]", name) == 1) {
		if (source->usercopy)
			fputs("	/* User memory is within reach from here on. */\n"
			      "	li	t6, SR_SUM\n"
			      "	csrs	CSR_STATUS, t6\n",
			      out);
		else
			fprintf(out, "SYM_FUNC_START(%s)\n", renamed(source, name));
	} else if (sscanf(line, "\tend_function %127[a-z0-9_]", name) == 1) {
		if (!source->usercopy)
			fprintf(out, "SYM_FUNC_END(%s)\n", renamed(source, name));
		else if (source->has_finish)
			fputs(".Lfinished:\n\tli	a0, 0\n\tend_user_access\n\tret\n", out);
	} else if (!write_return(source, line, out)) {
		write_renamed(source, line, out);
	}
	return 0;
}

/* The guard of a header, which is not one any more, and what it ends with. */
static bool is_guard(const char *line)
{
	return !strncmp(line, "#ifndef COPYLIB_", 16) || !strncmp(line, "#define COPYLIB_", 16);
}

static int write_lines(struct patch_source *source, FILE *in, bool header, FILE *out,
		       struct reason *reason)
{
	bool blank = false, ended = false; /* held back */
	char *line = NULL;
	size_t room = 0;
	int status = 0;

	/* An #endif is held back, since a header's last one belongs to its guard, and so are blank
	 * lines, since git finds fault with one at the end of a file. */
	while (!status && getline(&line, &room, in) > 0) {
		if (ended)
			fputs(blank ? "\n#endif\n" : "#endif\n", out);
		blank = blank && !ended;
		ended = header && !strcmp(line, "#endif\n");
		if (ended || (header && is_guard(line)))
			continue;
		if (!strcmp(line, "\n")) {
			blank = true;
			continue;
		}
		if (blank)
			putc('\n', out);
		blank = false;
		status = write_line(source, line, out, reason);
	}
	free(line);
	return status;
}

static int write_file(struct patch_source *source, const char *path, FILE *out,
		      struct reason *reason)
{
	size_t length = strlen(path);
	char whole[PATH_MAX + 128];
	FILE *in;
	int status;

	snprintf(whole, sizeof(whole), "%s/%s", source->root, path);
	in = fopen(whole, "re");
	if (!in)
		return reason_set(reason, "%s: %s", whole, strerror(errno));
	status = write_lines(source, in, length > 2 && !strcmp(path + length - 2, ".h"), out,
			     reason);
	fclose(in);
	return status;
}

int patch_source_write(struct patch_source *source, const char *path, FILE *out,
		       struct reason *reason)
{
	source->includes = 0;
	source->defines = 0;
	source->has_finish = source->in_finish = false;
	return write_file(source, path, out, reason);
}
