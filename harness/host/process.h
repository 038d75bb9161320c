/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Process: a child of this process with its output kept, for the kinds of hosts. It implements
 * struct host_process and the functions on it of host.h; a host only starts one.
 */
#ifndef HARNESS_HOST_PROCESS_H
#define HARNESS_HOST_PROCESS_H

#include <sys/types.h>

#include "harness/host/host.h"

/** What a program needs that runs elsewhere, while the child is only our way to it. */
struct process_elsewhere {
	void *context;
	void (*end)(void *context);	       /* asks the program itself to end */
	int64_t (*cpu_time_ns)(void *context); /* as host_cpu_time_ns() */
	void (*free)(void *context);
};

struct process_options {
	const char *const *argv;
	const char *input;  /* its standard input; NULL: empty */
	int cpu;	    /* that it is pinned to; -1: none */
	int log_fd;	    /* where both its outputs go instead of being kept; 0: nowhere else */
	const char *folder; /* where it runs; NULL: where we do */
	/* Called in the child before exec, to enter namespaces; returns 0 or an errno. NULL:
	 * nothing. */
	int (*enter)(const void *context);
	const void *context;
	struct process_elsewhere elsewhere; /* all zero: the child is the program */
};

/** Starts it, and then owns what is elsewhere, on failure not. An executable that is not there is
 * an error here, not of the child. */
int process_start(const struct process_options *options, struct host_process **process,
		  struct reason *reason);

/** Its process id, for records that outlive us. */
pid_t process_id(const struct host_process *process);

/**
 * Forks and calls work(context) in the child after enter(enter_context); returns what work
 * returned, 0 or an errno; the child's changes to memory are lost, unless it is shared.
 */
int process_call(int (*enter)(const void *context), const void *enter_context,
		 int (*work)(void *context), void *context);

#endif
