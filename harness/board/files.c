/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The files of the virtual board: where they are, and how they come into their place whole. */
#define _GNU_SOURCE /* nftw() */
#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/board/board.h"

#define FOLDERS_OPEN_MAX 32

int board_path(char path[BOARD_PATH_SIZE], struct reason *reason, const char *folder,
	       const char *format, ...)
{
	int used = snprintf(path, BOARD_PATH_SIZE, "%s/", folder);
	va_list arguments;

	va_start(arguments, format);
	if (used < BOARD_PATH_SIZE)
		used += vsnprintf(path + used, (size_t)(BOARD_PATH_SIZE - used), format, arguments);
	va_end(arguments);
	if (used >= BOARD_PATH_SIZE)
		return reason_set(reason,
				  "%.200s...: this path is too long; take a --folder "
				  "that is shorter",
				  folder);
	return 0;
}

int board_make_folder(const char *path, struct reason *reason)
{
	char part[BOARD_PATH_SIZE];

	for (const char *end = path; *end; end++) {
		end += strcspn(end + 1, "/") + 1;
		snprintf(part, sizeof(part), "%.*s", (int)(end - path), path);
		if (mkdir(part, 0777) && errno != EEXIST)
			return reason_set(reason, "%s: cannot be made: %s", part, strerror(errno));
		if (!*end)
			break;
		end--;
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *file, int kind, struct FTW *where)
{
	(void)file;
	(void)where;
	/* Trees of packages have folders that even their owner may not write. */
	if (kind == FTW_DNR)
		chmod(path, 0700);
	return remove(path);
}

int board_remove(const char *path, struct reason *reason)
{
	if (nftw(path, remove_one, FOLDERS_OPEN_MAX, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) &&
	    errno != ENOENT)
		return reason_set(reason, "%s: cannot be removed: %s", path, strerror(errno));
	return 0;
}

static void key_path(char path[BOARD_PATH_SIZE + 16], const char *made)
{
	snprintf(path, BOARD_PATH_SIZE + 16, "%s.made-from", made);
}

bool board_is_made(const char *made, const char *key)
{
	char path[BOARD_PATH_SIZE + 16];
	size_t length = strlen(key);
	char *text = malloc(length + 2);
	bool same = false;
	FILE *file;

	key_path(path, made);
	file = fopen(path, "re");
	if (file && text && !access(made, F_OK))
		same = fread(text, 1, length + 1, file) == length && !memcmp(text, key, length);
	if (file)
		fclose(file);
	free(text);
	return same;
}

int board_commit(const char *made, const char *key, struct reason *reason)
{
	char path[BOARD_PATH_SIZE + 16], new[BOARD_PATH_SIZE + 16];
	FILE *file;

	/* Without its key nothing counts as made: so the key goes first, and comes last. */
	key_path(path, made);
	if (unlink(path) && errno != ENOENT)
		return reason_set(reason, "%s: cannot be removed: %s", path, strerror(errno));
	if (board_remove(made, reason))
		return -1;
	snprintf(new, sizeof(new), "%s.new", made);
	if (rename(new, made))
		return reason_set(reason, "%s: cannot become %s: %s", new, made, strerror(errno));
	file = fopen(path, "we");
	if (!file)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	fputs(key, file);
	if (ferror(file) | fclose(file)) {
		int error = errno;

		unlink(path);
		return reason_set(reason, "%s: %s", path, strerror(error));
	}
	return 0;
}
