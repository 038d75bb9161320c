/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Programs: where iperf3 and netbench are on a host.
 */
#ifndef HARNESS_MEASURE_PROGRAMS_H
#define HARNESS_MEASURE_PROGRAMS_H

#include <limits.h>

#include "harness/host/host.h"

struct programs {
	char iperf3[PATH_MAX];
	char netbench[PATH_MAX];
	char iperf3_version[32];   /* "3.18"; empty: it does not tell */
	char netbench_version[32]; /* likewise */
};

/**
 * Finds both as the host sees them. On this machine: netbench beside this program or in PATH, iperf3
 * in PATH; on another, both in its PATH. Returns 0, or -1 with how to get what is missing.
 */
int programs_find(struct host *host, struct programs *programs, struct reason *reason);

#endif
