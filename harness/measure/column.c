/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Tests and columns. Variants are asked of copylib's registry, so that a new one is a column at
 * once; engines are listed here, since netbench is a program to us, and a unit test compares the
 * two lists.
 */
#include <stdio.h>
#include <string.h>

#include "copylib/copylib.h"
#include "harness/measure/column.h"

const struct test_kind test_kinds[TEST_KINDS] = {
	{ "tcp-recv", false, false },
	{ "tcp-send", false, true },
	{ "udp-send", true, true },
	{ "udp-recv", true, false },
};

static const char *const engines[] = { "uring", "threads" };

#define KERNEL_PREFIX "kernel:"

/* Prefixes that the design names, for which this version has no program yet. */
static const char *const prefixes_to_come[] = { "lwip" };

#define ENGINES	     (sizeof(engines) / sizeof(engines[0]))
#define AGAIN_SUFFIX " again"

int test_kind_find(const char *name, struct reason *reason)
{
	for (int i = 0; i < TEST_KINDS; i++)
		if (!strcmp(name, test_kinds[i].name))
			return i;
	return reason_set(reason,
			  "%s: no such test; tests are: tcp-recv, tcp-send, udp-send, udp-recv",
			  name);
}

const char *column_engine(size_t index)
{
	return index < ENGINES ? engines[index] : NULL;
}

/* The columns there are, appended to what the reason says already. */
static int add_valid_columns(struct reason *reason)
{
	size_t used = strlen(reason->text);
	char *end = reason->text;
	size_t room = sizeof(reason->text);

	used += (size_t)snprintf(end + used, room - used, "; columns are: iperf3, none");
	for (size_t i = 0; i < copy_variant_count() && used < room; i++)
		if (copy_variant_at(i)->memcpy)
			used += (size_t)snprintf(end + used, room - used, ", %s",
						 copy_variant_at(i)->name);
	for (size_t i = 0; i < ENGINES && used < room; i++)
		used += (size_t)snprintf(end + used, room - used, ", %s:VARIANT", engines[i]);
	if (used < room)
		used += (size_t)snprintf(end + used, room - used, ", kernel:NAME");
	if (used < room)
		snprintf(end + used, room - used, ", and any of them with \"again\" behind it");
	return -1;
}

/* The part before a colon: an engine, or a word for why there is none. */
static int parse_engine(const char *text, size_t length, struct column *column,
			struct reason *reason)
{
	for (size_t i = 0; i < ENGINES; i++) {
		if (strlen(engines[i]) == length && !strncmp(text, engines[i], length)) {
			snprintf(column->engine, sizeof(column->engine), "%s", engines[i]);
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof(prefixes_to_come) / sizeof(prefixes_to_come[0]); i++) {
		if (strlen(prefixes_to_come[i]) == length &&
		    !strncmp(text, prefixes_to_come[i], length)) {
			reason_set(reason, "%s: not available yet", column->id);
			return add_valid_columns(reason);
		}
	}
	reason_set(reason, "%s: no engine \"%.*s\"", column->id, (int)length, text);
	return add_valid_columns(reason);
}

/* Copies the text with blanks at the ends dropped and runs of blanks inside made one. */
static int tidy(const char *text, char *tidied, size_t size)
{
	size_t used = 0;

	for (; *text; text++) {
		bool blank = *text == ' ' || *text == '\t';

		if (blank && (!used || tidied[used - 1] == ' '))
			continue;
		if (used + 1 >= size)
			return -1;
		tidied[used++] = blank ? ' ' : *text;
	}
	if (used && tidied[used - 1] == ' ')
		used--;
	tidied[used] = '\0';
	return 0;
}

size_t column_again_length(const char *id)
{
	size_t length = strlen(id);

	if (length <= strlen(AGAIN_SUFFIX) ||
	    strcmp(id + length - strlen(AGAIN_SUFFIX), AGAIN_SUFFIX) != 0)
		return 0;
	return length - strlen(AGAIN_SUFFIX);
}

/* It becomes the name of a folder. */
static int parse_kernel(const char *name, struct column *column, struct reason *reason)
{
	if (!*name || *name == '.' ||
	    name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_.")]) {
		reason_set(reason, "%s: this cannot be the name of a kernel", column->id);
		return add_valid_columns(reason);
	}
	column->program = COLUMN_IPERF3;
	snprintf(column->kernel, sizeof(column->kernel), "%s", name);
	return 0;
}

int column_parse(const char *text, struct column *column, struct reason *reason)
{
	char name[COLUMN_ID_MAX];
	const char *copy = name;
	const struct copy_variant *variant;
	const char *colon;
	size_t length;

	memset(column, 0, sizeof(*column));
	if (tidy(text, column->id, sizeof(column->id))) {
		reason_set(reason, "%s: longer than any column's name", text);
		return add_valid_columns(reason);
	}
	memcpy(name, column->id, sizeof(name));
	length = column_again_length(name);
	if (length)
		name[length] = '\0';
	if (!strcmp(name, "iperf3")) {
		column->program = COLUMN_IPERF3;
		return 0;
	}
	if (!strncmp(name, KERNEL_PREFIX, strlen(KERNEL_PREFIX)))
		return parse_kernel(name + strlen(KERNEL_PREFIX), column, reason);
	column->program = COLUMN_NETBENCH;
	colon = strchr(name, ':');
	if (colon) {
		if (parse_engine(name, (size_t)(colon - name), column, reason))
			return -1;
		copy = colon + 1;
	}
	variant = copy_variant_find(copy);
	if (strcmp(copy, "none") && (!variant || !(variant->functions & COPY_MEMCPY))) {
		reason_set(reason, "%s: no such column", *column->id ? column->id : "(empty)");
		return add_valid_columns(reason);
	}
	snprintf(column->copy, sizeof(column->copy), "%s", copy);
	return 0;
}
