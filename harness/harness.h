/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The subcommands of harness. A new one is one file and one row of the table in main.c.
 */
#ifndef HARNESS_H
#define HARNESS_H

/** Exit statuses of every subcommand. */
enum harness_status {
	HARNESS_GOOD = 0,
	HARNESS_FAILED = 1, /* a check, a comparison or a cell failed, or the run was interrupted */
	HARNESS_USAGE = 2,  /* wrong usage, or the set-up does not allow the work */
};

/** Each is called with argv[0] = its own name, and returns an exit status. */
int board_main(int argc, char **argv);
int copy_main(int argc, char **argv);
int net_main(int argc, char **argv);
int validate_main(int argc, char **argv);

#endif
