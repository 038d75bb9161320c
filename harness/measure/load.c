/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Load: the CPU time of every process but us and what we started, with the children that it has
 * seen end, so that short-lived programs count too. The kernel's own threads are left out, and so
 * are interrupts that fall on nobody: the traffic that we cause is what drives them.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/measure/load.h"

#define MOMENT_NS     250000000L
#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD in the flags of /proc/PID/stat */

/* Time of a process and its ended children, in ticks; 0 for a kernel thread, or one that is gone.
 */
static unsigned long long process_ticks(const char *pid)
{
	unsigned long long user, system, children_user, children_system;
	char path[64], text[1024];
	const char *after_name;
	unsigned int flags;
	size_t got = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (file) {
		got = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[got] = '\0';
	/* The name may hold blanks and brackets. Behind it: state, five numbers, flags, four
	 * counts. */
	after_name = strrchr(text, ')');
	if (!after_name ||
	    sscanf(after_name + 1,
		   " %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu %llu %llu", &flags, &user,
		   &system, &children_user, &children_system) != 5 ||
	    flags & KERNEL_THREAD)
		return 0;
	return user + system + children_user + children_system;
}

static bool read_others(double tick_s, double *others_s)
{
	unsigned long long ticks = 0;
	const struct dirent *entry;
	DIR *processes = opendir("/proc");
	char ours[24];

	if (!processes)
		return false;
	snprintf(ours, sizeof(ours), "%d", (int)getpid());
	while ((entry = readdir(processes)))
		if (isdigit((unsigned char)*entry->d_name) && strcmp(entry->d_name, ours))
			ticks += process_ticks(entry->d_name);
	closedir(processes);
	*others_s = (double)ticks * tick_s;
	return true;
}

bool load_read(struct host *host, struct load *load)
{
	/* user nice system idle iowait irq softirq steal */
	unsigned long long ticks[8], all = 0;
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	char text[256];

	if (!host_is_this_machine(host) || !read_others(tick_s, &load->others_s) ||
	    host_read_file(host, "/proc/stat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
		   &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]) != 8)
		return false;
	for (int i = 0; i < 8; i++)
		all += ticks[i];
	load->stolen_s = (double)ticks[7] * tick_s;
	load->all_s = (double)all * tick_s;
	return true;
}

void load_between(const struct load *before, const struct load *after, double *others_percent,
		  double *stolen_percent)
{
	double all_s = after->all_s - before->all_s;
	double others_s = after->others_s - before->others_s;
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
