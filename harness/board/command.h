/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Command: a program of the system that a step of the virtual board needs (mmdebstrap, make,
 * patch), run to its end with its output in a log.
 */
#ifndef HARNESS_BOARD_COMMAND_H
#define HARNESS_BOARD_COMMAND_H

#include "harness/measure/reason.h"

struct command {
	const char *const *argv;
	const char *folder; /* where it runs; NULL: where we do */
	const char *log;    /* file that its output is appended to */
	const char *what;   /* what is being done, for the progress line and the reason */
	const char *advice; /* what to do if it fails; NULL: what the log says */
	unsigned int limit_s;
};

#define COMMAND_NOT_STARTED (-2)

/**
 * Runs it; on a terminal a line tells what is being done and for how long. Returns 0, or -1 with
 * the reason: what was being done, the last lines that it said, the log, the advice; or
 * COMMAND_NOT_STARTED with the reason and the advice. ^C and the limit end it, with all that it has
 * started; interrupt_seen() tells ^C.
 */
int command_run(const struct command *command, struct reason *reason);

/** The last lines of a text file, at most so many, to be freed; NULL: no memory or no file. */
char *command_last_lines(const char *path, unsigned int lines);

#endif
