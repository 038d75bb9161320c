/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* netbench parse: what is in the packets of a capture file. */
#ifndef NETBENCH_PARSE_H
#define NETBENCH_PARSE_H

/** The subcommand. Returns the exit status: 0, 1 if the file ends before its time, 2 if it cannot
 *  be read at all, or for wrong usage. */
int parse_main(int argc, char **argv);

#endif
