/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reason: a text of bounded length; what does not fit is cut, never an error of its own. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/measure/reason.h"

int reason_set(struct reason *reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
	return -1;
}

int reason_no_memory(struct reason *reason)
{
	return reason_set(reason, "out of memory");
}

int reason_prefix(struct reason *reason, const char *format, ...)
{
	char prefix[256];
	va_list arguments;
	size_t length, kept;

	va_start(arguments, format);
	vsnprintf(prefix, sizeof(prefix) - 2, format, arguments);
	va_end(arguments);
	strcat(prefix, ": ");
	length = strlen(prefix);
	kept = strlen(reason->text);
	if (kept >= sizeof(reason->text) - length)
		kept = sizeof(reason->text) - length - 1;
	memmove(reason->text + length, reason->text, kept);
	memcpy(reason->text, prefix, length);
	reason->text[length + kept] = '\0';
	return -1;
}

void reason_print(const struct reason *reason)
{
	fprintf(stderr, "harness: %s\n", reason->text);
}
