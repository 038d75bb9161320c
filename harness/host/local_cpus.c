/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Local CPUs: asks the affinity of this process, which a container or taskset may have narrowed. */
#define _GNU_SOURCE /* sched_getaffinity(), CPU_SET() */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "harness/host/local_cpus.h"

/* "0-3, 6": the set in words. */
static void describe(const cpu_set_t *set, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (int first = 0; first < CPU_SETSIZE && used < size; first++) {
		int last = first;

		if (!CPU_ISSET(first, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		used += (size_t)snprintf(text + used, size - used, "%s%d", used ? ", " : "", first);
		if (last > first && used < size)
			used += (size_t)snprintf(text + used, size - used, "-%d", last);
		first = last;
	}
}

static int check(const cpu_set_t *set, const char *section, unsigned int cpu, struct reason *reason)
{
	char usable[256];

	if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, set))
		return 0;
	describe(set, usable, sizeof(usable));
	return reason_set(reason, "[%s] cpu = %u: there is no such CPU to use; usable here: %s",
			  section, cpu, usable);
}

int local_cpus_choose(unsigned int *board_cpu, unsigned int *peer_cpu, struct reason *note,
		      struct reason *reason)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return reason_set(reason, "cannot ask for the CPUs of this machine: %s",
				  strerror(errno));
	if (CPU_COUNT(&set) == 1) {
		for (unsigned int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &set))
				*board_cpu = *peer_cpu = cpu;
	}
	if (check(&set, "board", *board_cpu, reason) || check(&set, "peer", *peer_cpu, reason))
		return -1;
	if (*board_cpu == *peer_cpu)
		reason_set(note, "board and peer share CPU %u%s", *board_cpu,
			   CPU_COUNT(&set) == 1 ? ", the only one" : "");
	return 0;
}
