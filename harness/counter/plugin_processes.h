/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Processes: an account for each address space (a value of satp), with the ID that the process gave
 * itself by a mark, or 0. A system begins thousands of processes in a day, so those without a mark
 * are forgotten as counting begins anew. The caller sees to it that only one thread is in here.
 */
#ifndef HARNESS_COUNTER_PLUGIN_PROCESSES_H
#define HARNESS_COUNTER_PLUGIN_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "harness/counter/plugin_numbers.h"

#define PROCESSES_MAX 512

struct process {
	uint64_t satp;
	unsigned int id;
	uint64_t space[SPACES][NUMBERS];
};

/** Empties all accounts, and forgets the processes without a mark. */
void processes_begin(void);

/** The account of an address space, a new one if need be. NULL: there is no room any more. */
struct process *processes_find(uint64_t satp);

/**
 * Gives an address space an ID, and takes it from the one that had it: that process has ended, and
 * what comes to have its satp is another. Where there is no room, one without a mark is forgotten.
 * Returns 0, or -1: all are marked.
 */
int processes_mark(uint64_t satp, unsigned int id);

/** The accounts there are, from 0 on. NULL beyond the last. */
const struct process *processes_at(size_t index);

#endif
