/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The user copy, which shares its file with __clear_user: only the body of the copy is replaced, so
 * that its names, what calls it where there is V, and its exports stay the kernel's own.
 */
#define _GNU_SOURCE /* getline() */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/patch_private.h"
#include "harness/board/patch_source.h"

/* A line that begins the copy; the last of several holds, since they are entries of one body. */
static bool begins_usercopy(const char *line)
{
	return !strncmp(line, "SYM_FUNC_START(fallback_scalar_usercopy", 39) ||
	       !strncmp(line, "SYM_FUNC_START(__asm_copy_", 26) ||
	       !strncmp(line, "ENTRY(__asm_copy_", 17);
}

static bool ends_usercopy(const char *line)
{
	return !strncmp(line, "SYM_FUNC_END(__asm_copy_", 24) ||
	       !strncmp(line, "SYM_FUNC_END(fallback_scalar_usercopy", 37) ||
	       !strncmp(line, "ENDPROC(__asm_copy_", 19) || !strncmp(line, "END(__asm_copy_", 15);
}

/* The number of the line behind which the body begins, and of the one that ends it. */
static bool find_body(FILE *in, unsigned int *from, unsigned int *to)
{
	char *line = NULL;
	size_t room = 0;

	*from = *to = 0;
	for (unsigned int number = 1; getline(&line, &room, in) > 0; number++)
		if (!*to && begins_usercopy(line))
			*from = number;
		else if (!*to && *from && ends_usercopy(line))
			*to = number;
	free(line);
	rewind(in);
	return *from && *to;
}

static int write_body(const struct patch *patch, FILE *out)
{
	const struct copy_variant *variant = patch->choice->variant[PATCH_USERCOPY];
	struct patch_source source = { .root = patch->source, .usercopy = true };
	char path[128], table[BOARD_PATH_SIZE];

	if (patch_find_source(patch, variant, PATCH_USERCOPY, path, sizeof(path)) ||
	    board_path(table, patch->reason, patch->tree, "arch/riscv/include/asm/asm-extable.h"))
		return -1;
	if (patch_is_c(path))
		return reason_set(patch->reason, "%s: its user copy is C", variant->name);
	source.old_table = access(table, R_OK);
	if (patch_source_write(&source, path, out, patch->reason))
		return -1;
	patch_source_undefine(&source, out);
	return 0;
}

static int write_uaccess(const struct patch *patch)
{
	FILE *in = patch_open(patch, patch->tree, "", UACCESS, "re");
	FILE *out = in ? patch_open(patch, patch->folder, "b/", UACCESS, "we") : NULL;
	unsigned int from = 0, to = 0;
	char *line = NULL;
	size_t room = 0;
	int status = 0;

	if (out && !find_body(in, &from, &to))
		status = reason_set(patch->reason,
				    "%s/" UACCESS ": where its copy begins and ends is not to be "
				    "seen; kernels 5.10 to 6.12 are known",
				    patch->tree);
	for (unsigned int number = 1; out && !status && getline(&line, &room, in) > 0; number++) {
		if (number <= from || number >= to)
			fputs(line, out);
		if (number == from)
			status = write_body(patch, out);
	}
	free(line);
	if (in)
		fclose(in);
	if (!out)
		return -1;
	return patch_close_written(patch, out, UACCESS) || status ? -1 : 0;
}

/* A whole uaccess.S of somebody's own. */
static int write_added_uaccess(const struct patch *patch)
{
	FILE *in = fopen(patch->choice->added[PATCH_USERCOPY], "re");
	FILE *out = in ? patch_open(patch, patch->folder, "b/", UACCESS, "we") : NULL;
	char *line = NULL;
	bool clears = false;
	size_t room = 0;

	if (!in)
		return reason_set(patch->reason, "--add %s: %s",
				  patch->choice->added[PATCH_USERCOPY], strerror(errno));
	while (out && getline(&line, &room, in) > 0) {
		clears = clears || strstr(line, "__clear_user");
		fputs(line, out);
	}
	free(line);
	fclose(in);
	if (!out || patch_close_written(patch, out, UACCESS))
		return -1;
	if (!clears)
		return reason_set(patch->reason,
				  "--add %s: a whole uaccess.S is wanted, but __clear_user is not "
				  "in it",
				  patch->choice->added[PATCH_USERCOPY]);
	return 0;
}

int patch_write_uaccess(const struct patch *patch)
{
	if (patch->choice->added[PATCH_USERCOPY])
		return write_added_uaccess(patch);
	return patch->choice->variant[PATCH_USERCOPY] ? write_uaccess(patch) : 0;
}
