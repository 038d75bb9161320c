/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Programs: where iperf3 and netbench are.
 */
#ifndef HARNESS_MEASURE_PROGRAMS_H
#define HARNESS_MEASURE_PROGRAMS_H

#include <limits.h>

#include "harness/measure/reason.h"

struct programs {
	char iperf3[PATH_MAX];
	char netbench[PATH_MAX];
	char iperf3_version[32];   /* "3.18"; empty: it does not tell */
	char netbench_version[32]; /* likewise */
};

/** Finds both: netbench beside this program or in PATH, iperf3 in PATH. Returns 0, or -1 with how
 * to get what is missing. */
int programs_find(struct programs *programs, struct reason *reason);

#endif
