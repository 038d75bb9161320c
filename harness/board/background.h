/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Background: the board that `harness board boot` left running, one a folder. FOLDER/run has its
 * process id, the port of its SSH, and its console.
 */
#ifndef HARNESS_BOARD_BACKGROUND_H
#define HARNESS_BOARD_BACKGROUND_H

#include <sys/types.h>

#include "harness/board/machine.h"

/** Its process id, if it runs; 0: it does not; -1 with the reason. */
pid_t background_find(const char *folder, unsigned int *ssh_port, struct reason *reason);

/** Boots it; what the options say of console, port and files is filled in. 0, or -1 with the
 * reason. */
int background_boot(struct machine_options *options, struct reason *reason);

/** Connects to it. NULL with the reason. */
struct ssh *background_connect(const char *folder, struct reason *reason);

/** Powers it off, and ends what does not end. 0, or -1 with the reason: it did not run, or stays.
 */
int background_stop(const char *folder, struct reason *reason);

#endif
