/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Parse bench: time for a packet of a capture that is in memory, of the reader and the parser. */
#ifndef NETBENCH_PARSE_BENCH_H
#define NETBENCH_PARSE_BENCH_H

#include "copylib/copylib.h"
#include "netbench/packet/capture.h"

/** Measures and prints; with a copy beside, unless it is NULL. Returns the exit status. */
int parse_bench(struct capture *capture, const struct copy_variant *copy);

#endif
