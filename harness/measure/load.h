/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Load: what share of a host's CPUs other programs than ours use, and what share its hypervisor
 * withholds. The load average would not do: it counts our own last run.
 */
#ifndef HARNESS_MEASURE_LOAD_H
#define HARNESS_MEASURE_LOAD_H

#include <stdbool.h>

#include "harness/host/host.h"

/** From this share in other hands on, a machine is called busy. */
#define LOAD_BUSY_PERCENT 10

/** A point in time. */
struct load {
	double others_s; /* CPU time of all other programs so far */
	double stolen_s; /* that the hypervisor gave to others */
	double all_s;	 /* busy or idle, all CPUs together */
};

/** Takes one. False: it is not known, as of a host that is another machine. */
bool load_read(struct host *host, struct load *load);

/** Shares between two of them, in percent of the CPUs: other programs, and stolen. */
void load_between(const struct load *before, const struct load *after, double *others_percent,
		  double *stolen_percent);

/** What other programs use, over a moment in which we wait; 0 if it is not known. */
double load_of_others_now(struct host *host);

#endif
