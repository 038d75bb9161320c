/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The subcommand `netbench serve`. */
#ifndef NETBENCH_SERVE_H
#define NETBENCH_SERVE_H

/** Serves until it is told to stop. argv[0] is "serve". Returns the exit code. */
int serve_main(int argc, char **argv);

#endif
