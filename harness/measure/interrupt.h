/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Interrupt: ^C, SIGTERM, SIGHUP, and SIGPIPE, when nobody reads our output any more, as something
 * that can be waited for. A run looks at it between and during cells, so that what was measured so
 * far is kept.
 */
#ifndef HARNESS_MEASURE_INTERRUPT_H
#define HARNESS_MEASURE_INTERRUPT_H

#include <stdbool.h>

/** Takes these signals from their default action. Returns 0, or -1 with errno set. */
int interrupt_open(void);

/** Readable from the first such signal on; -1 before interrupt_open(). */
int interrupt_fd(void);

/** True from the first such signal on. */
bool interrupt_seen(void);

/** In a forked child before exec: gives these signals their default action again. */
void interrupt_reset_in_child(void);

/** Gives the signals back to the program; those that came in between are forgotten. */
void interrupt_close(void);

#endif
