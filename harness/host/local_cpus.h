/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Local CPUs: which of this machine's the two ends of a local pair are pinned to.
 */
#ifndef HARNESS_HOST_LOCAL_CPUS_H
#define HARNESS_HOST_LOCAL_CPUS_H

#include "harness/measure/reason.h"

/**
 * Checks the wanted CPUs against those this process may use. With only one, both ends get it. The
 * note says if they share one. Returns 0, or -1 with the CPUs that there are in the reason.
 */
int local_cpus_choose(unsigned int *board_cpu, unsigned int *peer_cpu, struct reason *note,
		      struct reason *reason);

#endif
