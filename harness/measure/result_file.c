/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Result files: written beside their name and then moved there, so that a reader never sees half of
 * one; read only after every field has been checked. What is no regular file (a device, a pipe, a
 * link) must not be replaced, and is written into.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/measure/result.h"
#include "harness/measure/schema.h"

/* Nine digits: more than any figure here is worth, and no 0.10000000000000001. */
#define JSON_FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(9))

static int write_into(const json_t *root, const char *path, struct reason *reason)
{
	FILE *file = fopen(path, "we");
	int written;

	if (!file)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	written = json_dumpf(root, file, JSON_FLAGS);
	if (written == 0 && fputc('\n', file) == EOF)
		written = -1;
	if (fclose(file) || written)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	return 0;
}

static int write_file(const json_t *root, const char *path, struct reason *reason)
{
	char beside[PATH_MAX];
	struct stat there;

	if (!lstat(path, &there) && !S_ISREG(there.st_mode))
		return write_into(root, path, reason);
	if ((size_t)snprintf(beside, sizeof(beside), "%s.new", path) >= sizeof(beside))
		return reason_set(reason, "%s: %s", path, strerror(ENAMETOOLONG));
	if (write_into(root, beside, reason)) {
		unlink(beside);
		return -1;
	}
	if (rename(beside, path)) {
		reason_set(reason, "%s: %s", path, strerror(errno));
		unlink(beside);
		return -1;
	}
	return 0;
}

int result_write(const struct result *result, const char *path, struct reason *reason)
{
	json_t *root = result_to_json(result);
	int status;

	if (!root)
		return reason_no_memory(reason);
	if (strcmp(path, "-")) {
		status = write_file(root, path, reason);
	} else {
		status = json_dumpf(root, stdout, JSON_FLAGS);
		if (status == 0 && (fputc('\n', stdout) == EOF || fflush(stdout)))
			status = -1;
		if (status)
			reason_set(reason, "standard output: %s", strerror(errno));
	}
	json_decref(root);
	return status;
}

static void keep_first_problem(void *context, const char *path, const char *what)
{
	struct reason *reason = context;

	if (!*reason->text)
		reason_set(reason, "%s: %s", path, what);
}

struct result *result_read(const char *path, struct reason *reason)
{
	json_t *root = schema_load(path, reason);
	struct result *result = NULL;

	if (!root)
		return NULL;
	*reason->text = '\0';
	if (schema_check(root, keep_first_problem, reason))
		reason_prefix(reason, "%s", path);
	else
		result = result_from_json(root, reason);
	json_decref(root);
	return result;
}
