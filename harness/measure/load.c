/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Load: the kernel's count of all programs' CPU time, less our own. Interrupts are left out, since
 * the network traffic that we cause brings them.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "harness/measure/load.h"

#define MOMENT_NS 250000000L

static double seconds_of(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

bool load_read(struct host *host, struct load *load)
{
	/* user nice system idle iowait irq softirq steal */
	unsigned long long ticks[8], all = 0;
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct rusage self, children;
	char text[256];

	if (host_read_file(host, "/proc/stat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
		   &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
		return false;
	for (int i = 0; i < 8; i++)
		all += ticks[i];
	load->programs_s = (double)(ticks[0] + ticks[1] + ticks[2]) * tick_s;
	load->stolen_s = (double)ticks[7] * tick_s;
	load->all_s = (double)all * tick_s;
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	load->ours_s = host_is_this_machine(host) ? seconds_of(&self) + seconds_of(&children) : 0;
	return true;
}

void load_between(const struct load *before, const struct load *after, double *others_percent,
		  double *stolen_percent)
{
	double all_s = after->all_s - before->all_s;
	double others_s = after->programs_s - before->programs_s - (after->ours_s - before->ours_s);
	double stolen_s = after->stolen_s - before->stolen_s;

	*others_percent = all_s > 0 && others_s > 0 ? 100 * others_s / all_s : 0;
	*stolen_percent = all_s > 0 && stolen_s > 0 ? 100 * stolen_s / all_s : 0;
}

double load_of_others_now(struct host *host)
{
	const struct timespec moment = { 0, MOMENT_NS };
	double others_percent, stolen_percent;
	struct load before, after;

	if (!load_read(host, &before))
		return 0;
	nanosleep(&moment, NULL);
	if (!load_read(host, &after))
		return 0;
	load_between(&before, &after, &others_percent, &stolen_percent);
	return others_percent;
}
