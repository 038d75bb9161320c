/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Configuration files: inih splits the lines; our reader beneath it counts them, so that an error
 * can name its line, and sees what inih's handler is not told: sections without keys, lines that go
 * on with the value before, and lines that do not fit inih's buffer.
 */
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#include "harness/measure/configuration_keys.h"

struct reading {
	struct configuration *configuration;
	const char *path;
	FILE *file;
	unsigned int line;
	bool indented;				  /* the line just read begins with a blank */
	bool failed;				  /* the reason is set: the rest is not looked at */
	const struct configuration_key *last_key; /* of the last value, in last_section */
	const struct configuration_section *last_section;
	unsigned int set_in_line[CONFIGURATION_SECTIONS][16]; /* by section and key; 0: not yet */
	struct reason *reason;
};

/* Puts file and line before the reason. */
static void fail(struct reading *reading)
{
	if (!reading->failed)
		reason_prefix(reading->reason, "%s:%u", reading->path, reading->line);
	reading->failed = true;
}

static void check_section_line(struct reading *reading, const char *line)
{
	char name[64];
	const char *end = strchr(line, ']');

	if (!end) {
		reason_set(reading->reason, "a [section] without its \"]\"");
		fail(reading);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(end - line - 1), line + 1);
	if (!configuration_find_section(name, reading->reason))
		fail(reading);
}

/* What inih calls instead of fgets. */
static char *read_line(char *line, int size, void *stream)
{
	struct reading *reading = stream;
	const char *start;

	if (reading->failed || !fgets(line, size, reading->file))
		return NULL;
	reading->line++;
	if (!strchr(line, '\n') && !feof(reading->file)) {
		reason_set(reading->reason,
			   "this line has more than %d characters, or a NUL byte; "
			   "a list may go on in the next line, behind a blank",
			   size - 2);
		fail(reading);
		return NULL;
	}
	start = line + strspn(line, " \t");
	reading->indented = start > line;
	if (*start == '[')
		check_section_line(reading, start);
	return line;
}

/* What inih calls for each value: 0 stops, 1 goes on. */
static int take_value(void *user, const char *section_name, const char *name, const char *value)
{
	struct reading *reading = user;
	const struct configuration_section *section;
	const struct configuration_key *key;
	unsigned int *set_in_line;
	bool append;

	if (reading->failed)
		return 0;
	if (!*section_name) {
		reason_set(reading->reason, "%s stands before the first [section]", name);
		fail(reading);
		return 0;
	}
	section = configuration_find_section(section_name, reading->reason);
	if (section && !section->keys)
		return 1;
	key = section ? configuration_find_key(section, name, reading->reason) : NULL;
	if (!key) {
		fail(reading);
		return 0;
	}
	append = reading->indented && key == reading->last_key && section == reading->last_section;
	set_in_line = &reading->set_in_line[section - configuration_sections][key - section->keys];
	if (*set_in_line && !append) {
		reason_set(reading->reason, "[%s] %s is set a second time; first in line %u",
			   section->name, name, *set_in_line);
		fail(reading);
		return 0;
	}
	*set_in_line = reading->line;
	reading->last_key = key;
	reading->last_section = section;
	if (configuration_set_key(reading->configuration, section, key, value, append,
				  reading->reason)) {
		reason_prefix(reading->reason, "[%s] %s", section->name, name);
		fail(reading);
		return 0;
	}
	return 1;
}

/* The file's name without folder and ending, if that is a name that a run can have. */
static void name_after(struct configuration *configuration, const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *dot = strrchr(base, '.');
	struct reason ignored;
	char name[256];

	snprintf(name, sizeof(name), "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
	configuration_set(configuration, "run", "name", name, &ignored);
}

int configuration_read(struct configuration *configuration, const char *path, struct reason *reason)
{
	struct reading reading = { .configuration = configuration, .path = path, .reason = reason };
	int bad_line, read_error;

	reading.file = fopen(path, "re");
	if (!reading.file)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	name_after(configuration, path);
	errno = 0;
	bad_line = ini_parse_stream(read_line, &reading, take_value, &reading);
	read_error = ferror(reading.file) ? errno : 0;
	fclose(reading.file);
	if (reading.failed)
		return -1;
	if (read_error)
		return reason_set(reason, "%s: %s", path, strerror(read_error));
	if (bad_line < 0)
		return reason_no_memory(reason);
	if (bad_line > 0)
		return reason_set(
			reason, "%s:%d: neither [section], nor key = value, nor a comment (; or #)",
			path, bad_line);
	return 0;
}
