/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Counter: the plugin of QEMU (harness/counter/plugin.c) from outside: where it is, and its begin
 * and end through a socket. Socket and file lie in a folder of their own.
 */
#ifndef HARNESS_HOST_COUNTER_H
#define HARNESS_HOST_COUNTER_H

#include "harness/measure/counts.h"
#include "harness/measure/reason.h"

/** Makes the folder, with a path short enough for a socket. 0, or -1 with the reason. */
int counter_make_folder(char *folder, size_t size, struct reason *reason);

/** Removes it with what is in it. */
void counter_clean(const char *folder);

/** QEMU's -plugin option. Returns 0, or -1 with the reason: the plugin is not there. */
int counter_option(const char *folder, char *option, size_t size, struct reason *reason);

/** Counts from begin to end; see host_count_begin(). */
int counter_begin(const char *folder, struct reason *reason);
int counter_end(const char *folder, struct counts *counts, struct reason *reason);

#endif
