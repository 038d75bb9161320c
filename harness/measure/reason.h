/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Reason: why something went wrong and what to do about it, on its way from where it was noticed to
 * the one place that prints it.
 */
#ifndef HARNESS_MEASURE_REASON_H
#define HARNESS_MEASURE_REASON_H

struct reason {
	char text[1024];
};

/** Writes the text (printf's format, cut to what fits) and returns -1, for `return reason_set()`.
 */
int reason_set(struct reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** The reason that there is no memory; returns -1. */
int reason_no_memory(struct reason *reason);

/** Puts "prefix: " before a reason that was set further down; returns -1. */
int reason_prefix(struct reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Prints `harness: TEXT` on standard error. */
void reason_print(const struct reason *reason);

#endif
