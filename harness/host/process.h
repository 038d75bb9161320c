/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Process: a child of this process with its output kept, for the kinds of hosts. It implements
 * struct host_process and the functions on it of host.h; a host only starts one.
 */
#ifndef HARNESS_HOST_PROCESS_H
#define HARNESS_HOST_PROCESS_H

#include "harness/host/host.h"

struct process_options {
	const char *const *argv;
	const char *input; /* its standard input; NULL: empty */
	int cpu;	   /* that it is pinned to; -1: none */
	/* Called in the child before exec, to enter namespaces; returns 0 or an errno. NULL:
	 * nothing. */
	int (*enter)(const void *context);
	const void *context;
};

/** Starts it. An executable that is not there is an error here, not of the child. */
int process_start(const struct process_options *options, struct host_process **process,
		  struct reason *reason);

/**
 * Forks and calls work(context) in the child after enter(enter_context); returns what work
 * returned, 0 or an errno; the child's changes to memory are lost, unless it is shared.
 */
int process_call(int (*enter)(const void *context), const void *enter_context,
		 int (*work)(void *context), void *context);

#endif
