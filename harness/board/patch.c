/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Patch: the files of the kernel tree that matter are copied into a/ and b/, b/ is changed, and git
 * tells the difference.
 */
#define _GNU_SOURCE /* getline() */
#include "harness/board/patch_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/command.h"
#include "harness/board/patch_source.h"

#define LICENCE "/* SPDX-License-Identifier: GPL-2.0-only OR MIT */\n"

/* -- files ---------------------------------------------------------------------------------- */

FILE *patch_open(const struct patch *patch, const char *folder, const char *below, const char *path,
		 const char *mode)
{
	char whole[BOARD_PATH_SIZE];
	FILE *file;

	if (board_path(whole, patch->reason, folder, "%s%s", below, path))
		return NULL;
	file = fopen(whole, mode);
	if (!file)
		reason_set(patch->reason, "%s: %s", whole, strerror(errno));
	return file;
}

int patch_close_written(const struct patch *patch, FILE *file, const char *path)
{
	if (ferror(file) | fclose(file))
		return reason_set(patch->reason, "%s/b/%s: %s", patch->folder, path,
				  strerror(errno));
	return 0;
}

static int copy_file(const struct patch *patch, const char *below, const char *path)
{
	FILE *in = patch_open(patch, patch->tree, "", path, "re");
	FILE *out = in ? patch_open(patch, patch->folder, below, path, "we") : NULL;
	int c;

	if (in && out)
		while ((c = getc(in)) != EOF)
			putc(c, out);
	if (in)
		fclose(in);
	return out ? patch_close_written(patch, out, path) : -1;
}

static void lib_file(char *path, size_t size, enum patch_routine routine, const char *ending)
{
	snprintf(path, size, LIB "/%s%s", patch_routine_name(routine), ending);
}

static int copy_tree(const struct patch *patch)
{
	static const char *const folders[] = { "a/" LIB, "a/arch/riscv/purgatory", "b/" LIB,
					       "b/arch/riscv/purgatory" };
	static const char *const files[] = { LIB_MAKEFILE,    PURGATORY_MAKEFILE, UACCESS,
					     LIB "/memcpy.S", LIB "/memmove.S",	  LIB "/memset.S" };
	char path[BOARD_PATH_SIZE];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (board_path(path, patch->reason, patch->folder, "%s", folders[i]) ||
		    board_make_folder(path, patch->reason))
			return -1;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (copy_file(patch, "a/", files[i]) || copy_file(patch, "b/", files[i]))
			return reason_prefix(patch->reason,
					     "%s: no kernel tree of a shape that is known",
					     patch->tree);
	return 0;
}

/* -- where the sources are ------------------------------------------------------------------ */

/* copylib's prefix of a variant: its name with _ for -. */
static void prefix_of(const struct copy_variant *variant, char *prefix, size_t size)
{
	snprintf(prefix, size, "%s", variant->name);
	for (; *prefix; prefix++)
		if (*prefix == '-')
			*prefix = '_';
}

/* A file for each of its routines, one for all, or the portable one. */
int patch_find_source(const struct patch *patch, const struct copy_variant *variant,
		      enum patch_routine routine, char *path, size_t size)
{
	const char *name = variant->name;
	char whole[BOARD_PATH_SIZE];

	for (int i = 0; i < 3; i++) {
		if (i == 0)
			snprintf(path, size, "copylib/riscv64/%s-%s.S", name,
				 patch_routine_name(routine));
		else if (i == 1)
			snprintf(path, size, "copylib/riscv64/%s.S", name);
		else
			snprintf(path, size, "copylib/portable/%s.c", name);
		if (!board_path(whole, patch->reason, patch->source, "%s", path) &&
		    !access(whole, R_OK))
			return 0;
	}
	return reason_set(patch->reason, "%s: its source is not in %s", name, patch->source);
}

bool patch_is_c(const char *path)
{
	return !strcmp(path + strlen(path) - 2, ".c");
}

static int find_sources(struct patch *patch)
{
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++) {
		if (patch->choice->added[i])
			snprintf(patch->path[i], sizeof(patch->path[i]), "%s",
				 patch->choice->added[i]);
		else if (patch->choice->variant[i] &&
			 patch_find_source(patch, patch->choice->variant[i], i, patch->path[i],
					   sizeof(patch->path[i])))
			return -1;
		patch->c[i] = *patch->path[i] && patch_is_c(patch->path[i]);
		for (enum patch_routine j = 0; j < i; j++)
			if (*patch->path[i] && !strcmp(patch->path[i], patch->path[j]))
				patch->merged[i] = true;
	}
	return 0;
}

/* -- one file ------------------------------------------------------------------------------- */

/* The line of a kernel's file is one that gives its function another name, or exports it. */
static bool is_alias(const char *line)
{
	return !strncmp(line, "SYM_FUNC_ALIAS", 14) || !strncmp(line, "EXPORT_SYMBOL", 13);
}

static const char *parameters_of(enum patch_routine routine)
{
	return routine == PATCH_MEMSET ? "void *, int, size_t" : "void *, const void *, size_t";
}

static void write_c_alias(enum patch_routine routine, const char *line, FILE *out)
{
	char name[64], target[64];

	if (sscanf(line, "SYM_FUNC_ALIAS_WEAK(%63[a-z_], %63[a-z_])", name, target) == 2)
		fprintf(out, "#undef %s\nvoid *%s(%s) __weak __alias(%s);\n", name, name,
			parameters_of(routine), target);
	else if (sscanf(line, "SYM_FUNC_ALIAS(%63[a-z_], %63[a-z_])", name, target) == 2)
		fprintf(out, "void *%s(%s) __alias(%s);\n", name, parameters_of(routine), target);
	else
		fputs(line, out);
}

/* The names that the kernel's own file gives its function, in the new one too. */
static int write_aliases(const struct patch *patch, enum patch_routine routine, bool c, FILE *out)
{
	const char *name = patch_routine_name(routine);
	char path[128], *line = NULL;
	bool any = false;
	size_t room = 0;
	FILE *in;

	lib_file(path, sizeof(path), routine, ".S");
	in = patch_open(patch, patch->tree, "", path, "re");
	if (!in)
		return -1;
	while (getline(&line, &room, in) > 0) {
		if (!is_alias(line))
			continue;
		any = true;
		if (c)
			write_c_alias(routine, line, out);
		else
			fputs(line, out);
	}
	free(line);
	fclose(in);
	/* Before 5.18 there was no macro for it. */
	if (!any && c)
		fprintf(out, "#undef %s\nvoid *%s(%s) __weak __alias(__%s);\n", name, name,
			parameters_of(routine), name);
	else if (!any)
		fprintf(out, "	.weak	%s\n	.set	%s, __%s\n", name, name, name);
	return 0;
}

/* Gives copylib's functions the kernel's names. */
static void rename_routines(const struct copy_variant *variant, struct patch_source *source,
			    char text[MEMORY_ROUTINES][2][64])
{
	char prefix[48];

	prefix_of(variant, prefix, sizeof(prefix));
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++) {
		snprintf(text[i][0], sizeof(text[i][0]), "%s_%s", prefix, patch_routine_name(i));
		snprintf(text[i][1], sizeof(text[i][1]), "__%s", patch_routine_name(i));
		source->from[source->names] = text[i][0];
		source->to[source->names++] = text[i][1];
	}
}

/* The set of routines, 1 << each, that a source file of a variant begins; -1 with the reason. */
static int routines_in(const struct patch *patch, const struct copy_variant *variant,
		       const char *path)
{
	FILE *in = patch_open(patch, patch->source, "", path, "re");
	char *line = NULL, name[64], wanted[64], prefix[48];
	size_t room = 0;
	int set = 0;

	if (!in)
		return -1;
	prefix_of(variant, prefix, sizeof(prefix));
	while (getline(&line, &room, in) > 0) {
		if (!patch_line_begins(line, name, sizeof(name)))
			continue;
		for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++) {
			snprintf(wanted, sizeof(wanted), "%s_%s", prefix, patch_routine_name(i));
			if (!strcmp(name, wanted))
				set |= 1 << i;
		}
	}
	free(line);
	fclose(in);
	return set;
}

/* A file that has a routine which is to come from elsewhere would define it twice. */
static int check_routines(const struct patch *patch, const struct copy_variant *variant, int set)
{
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++)
		if ((set & 1 << i) && patch->choice->variant[i] != variant)
			return reason_set(patch->reason,
					  "%s: its %s is in one file with what is wanted of it, so "
					  "it cannot come from elsewhere",
					  variant->name, patch_routine_name(i));
	return 0;
}

static void write_head(bool c, FILE *out)
{
	fputs(c ? LICENCE "#define __NO_FORTIFY\n"
			  "#include <linux/types.h>\n"
			  "#include <linux/string.h>\n"
			  "\n"
			  "#define UINT64_C(value) value##ULL\n"
		: LICENCE "#include <linux/linkage.h>\n"
			  "#include <asm/asm.h>\n"
			  "\n",
	      out);
}

static int write_variant(struct patch *patch, enum patch_routine routine, FILE *out)
{
	const struct copy_variant *variant = patch->choice->variant[routine];
	struct patch_source source = { .root = patch->source };
	char text[MEMORY_ROUTINES][2][64];
	int set = routines_in(patch, variant, patch->path[routine]);

	if (set < 0 || check_routines(patch, variant, set))
		return -1;
	rename_routines(variant, &source, text);
	write_head(patch->c[routine], out);
	if (patch->needed && routine == PATCH_MEMCPY) {
		char prefix[48];

		prefix_of(patch->needed, prefix, sizeof(prefix));
		fprintf(out, "void *%s_memcpy(void *, const void *, size_t); /* memcpy-%s */\n\n",
			prefix, patch->needed->name);
	}
	if (patch_source_write(&source, patch->path[routine], out, patch->reason))
		return -1;
	if (set)
		fputc('\n', out);
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++)
		if ((set & 1 << i) && write_aliases(patch, i, patch->c[routine], out))
			return -1;
	return 0;
}

/* A file of somebody's own: as it is, under the kernel's name if it has only the plain one. */
static int write_added(struct patch *patch, enum patch_routine routine, FILE *out)
{
	FILE *in = fopen(patch->path[routine], "re");
	char *line = NULL, kernel_name[64];
	bool is_kernels = false, has_aliases = false;
	size_t room = 0;

	if (!in)
		return reason_set(patch->reason, "--add %s: %s", patch->path[routine],
				  strerror(errno));
	snprintf(kernel_name, sizeof(kernel_name), "__%s", patch_routine_name(routine));
	while (getline(&line, &room, in) > 0) {
		is_kernels = is_kernels || strstr(line, kernel_name);
		has_aliases = has_aliases || is_alias(line) || !strncmp(line, "WEAK(", 5);
	}
	rewind(in);
	if (!is_kernels)
		for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++)
			if (!strcmp(patch->path[i], patch->path[routine]))
				fprintf(out, "#define %s __%s\n", patch_routine_name(i),
					patch_routine_name(i));
	while (getline(&line, &room, in) > 0)
		fputs(line, out);
	free(line);
	fclose(in);
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES && !has_aliases; i++) {
		if (strcmp(patch->path[i], patch->path[routine]) != 0)
			continue;
		if (!is_kernels)
			fprintf(out, "#undef %s\n", patch_routine_name(i));
		if (!patch->c[routine])
			fputs("#include <linux/linkage.h>\n", out);
		if (write_aliases(patch, i, patch->c[routine], out))
			return -1;
	}
	return 0;
}

static int remove_old(const struct patch *patch, enum patch_routine routine)
{
	char path[128], whole[BOARD_PATH_SIZE];

	lib_file(path, sizeof(path), routine, ".S");
	if (board_path(whole, patch->reason, patch->folder, "b/%s", path))
		return -1;
	if (unlink(whole))
		return reason_set(patch->reason, "%s: %s", whole, strerror(errno));
	return 0;
}

static int write_routine(struct patch *patch, enum patch_routine routine)
{
	char path[128];
	FILE *out;
	int status;

	if (!*patch->path[routine])
		return 0;
	if (remove_old(patch, routine))
		return -1;
	if (patch->merged[routine])
		return 0;
	lib_file(path, sizeof(path), routine, patch->c[routine] ? ".c" : ".S");
	out = patch_open(patch, patch->folder, "b/", path, "we");
	if (!out)
		return -1;
	status = patch->choice->added[routine] ? write_added(patch, routine, out)
					       : write_variant(patch, routine, out);
	return patch_close_written(patch, out, path) || status ? -1 : 0;
}

/* What c-words falls back to is another routine, which comes with it under its own name. */
static int write_needed(struct patch *patch)
{
	struct patch_source source = { .root = patch->source };
	char path[128], from[128];
	FILE *out;
	int status;

	if (!patch->needed)
		return 0;
	snprintf(path, sizeof(path), LIB "/memcpy-%s.S", patch->needed->name);
	if (patch_find_source(patch, patch->needed, PATCH_MEMCPY, from, sizeof(from)))
		return -1;
	out = patch_open(patch, patch->folder, "b/", path, "we");
	if (!out)
		return -1;
	write_head(false, out);
	status = patch_source_write(&source, from, out, patch->reason);
	return patch_close_written(patch, out, path) || status ? -1 : 0;
}

static void find_needed(struct patch *patch)
{
	const struct copy_variant *variant = patch->choice->variant[PATCH_MEMCPY];

	if (variant && !strcmp(variant->name, "c-words"))
		patch->needed = copy_variant_find("linux");
}

/* -- the whole ------------------------------------------------------------------------------ */

static int diff(const struct patch *patch, const char *log)
{
	static const char script[] =
		"cd \"$1\" && git -c core.quotePath=false diff --no-index --no-prefix --no-color "
		"--no-ext-diff --no-renames a b >kernel.patch; test $? -le 1";
	const char *const argv[] = { "sh", "-c", script, "sh", patch->folder, NULL };
	const struct command command = { .argv = argv,
					 .log = log,
					 .what = "the patch",
					 .advice = "needed: apt-get install git",
					 .limit_s = 60 };

	return command_run(&command, patch->reason) ? -1 : 0;
}

int patch_write(const struct patch_choice *choice, const char *source, const char *tree,
		const char *folder, const char *log, struct reason *reason)
{
	struct patch patch = {
		.choice = choice, .source = source, .tree = tree, .folder = folder, .reason = reason
	};

	find_needed(&patch);
	if (copy_tree(&patch) || find_sources(&patch))
		return -1;
	for (enum patch_routine i = 0; i < MEMORY_ROUTINES; i++)
		if (write_routine(&patch, i))
			return -1;
	if (write_needed(&patch) || patch_write_makefiles(&patch) || patch_write_uaccess(&patch))
		return -1;
	return diff(&patch, log);
}
