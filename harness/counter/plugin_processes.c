/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Processes: a table that is searched from its front, as few run in the time of a count. */
#include "harness/counter/plugin_processes.h"

#include <string.h>

static struct process processes[PROCESSES_MAX];
static size_t count;

void processes_begin(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (processes[i].id)
			processes[kept++] = (struct process){ .satp = processes[i].satp,
							      .id = processes[i].id };
	count = kept;
}

struct process *processes_find(uint64_t satp)
{
	for (size_t i = 0; i < count; i++)
		if (processes[i].satp == satp)
			return &processes[i];
	if (count == PROCESSES_MAX)
		return NULL;
	processes[count] = (struct process){ .satp = satp };
	return &processes[count++];
}

/* Where there is no room, one without a mark gives way: the marks are what is asked for. */
static struct process *make_room(uint64_t satp)
{
	for (size_t i = 0; i < count; i++)
		if (!processes[i].id) {
			processes[i] = (struct process){ .satp = satp };
			return &processes[i];
		}
	return NULL;
}

int processes_mark(uint64_t satp, unsigned int id)
{
	struct process *process = processes_find(satp);

	for (size_t i = 0; i < count; i++)
		if (processes[i].id == id)
			processes[i].id = 0;
	if (!process)
		process = make_room(satp);
	if (!process)
		return -1;
	process->id = id;
	return 0;
}

const struct process *processes_at(size_t index)
{
	return index < count ? &processes[index] : NULL;
}
