/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Host: a machine under test or its peer, where programs are started, pinned, timed and stopped.
 * Two of them are opened together, joined by a path over which they reach each other. A new kind of
 * host is one file and one row of the table in host.c.
 *
 * Functions that can fail return 0, or -1 with the reason set, unless said otherwise.
 */
#ifndef HARNESS_HOST_HOST_H
#define HARNESS_HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/measure/configuration.h"
#include "harness/measure/reason.h"

#define NS_PER_S INT64_C(1000000000) /* limits and times of hosts are signed */

struct counts;
struct host;
struct host_process;
struct symbols;

/** Two hosts that reach each other. */
struct host_pair {
	struct host *board, *peer;
	const char *path;   /* what lies between them: "veth", "loopback" */
	struct reason note; /* what the user should know of it; empty: nothing */
};

/** Opens both. What was opened is closed again by hosts_close(), and by the end of this process,
 *  however it ends. */
int hosts_open(const struct host_configuration *board, const struct host_configuration *peer,
	       struct host_pair *pair, struct reason *reason);
void hosts_close(struct host_pair *pair);

/** The address at which the other host reaches this one. Lives as long as the host. */
const char *host_address(const struct host *host);

/** The CPU that programs are pinned to. */
unsigned int host_cpu(const struct host *host);

/** A TCP and UDP port on which nothing listens; 0 with the reason: none was found. */
unsigned int host_free_port(struct host *host, struct reason *reason);

/** Sets the MTU of the host's interface, in bytes. A path that has no MTU of ours ignores it. */
int host_set_mtu(struct host *host, unsigned int mtu_bytes, struct reason *reason);

/** The MTU that is in force, in bytes; 0: unknown. */
unsigned int host_mtu(struct host *host);

/** Can this congestion control be used for TCP connections here? The reason says what to do. */
int host_check_congestion(struct host *host, const char *name, struct reason *reason);

/**
 * Has the host run this kernel from now on; it may be booted for that, and then nothing that ran on
 * it is left. Returns 0, or -1 with the reason: no such kernel, or not a host with several.
 */
int host_use_kernel(struct host *host, const char *name, struct reason *reason);

/**
 * After something has failed on the host: if it is not in order any more, it is brought back to
 * where it was when it was opened, and the reason tells what its console said. Returns 0, or -1
 * with another reason: it cannot be.
 */
int host_recover(struct host *host, struct reason *reason);

/**
 * Counts what the host executes, from begin to end. Only where host_counts() can this be done.
 * Returns 0, or -1 with the reason.
 */
bool host_counts(const struct host *host);
int host_count_begin(struct host *host, struct reason *reason);
int host_count_end(struct host *host, struct counts *counts, struct reason *reason);

/** The functions of the kernel that runs there; they live until it is changed. */
const struct symbols *host_symbols(const struct host *host);

/** Reads a small file as the host sees it, /proc/sys/net included, without the newlines at its end.
 *  Returns its length (cut to what fits), or -1 with errno set. */
ssize_t host_read_file(struct host *host, const char *path, char *text, size_t size);

/** Writes a small file, a sysctl for example. Returns 0, or -1 with errno set. */
int host_write_file(struct host *host, const char *path, const char *text);

/** True if programs see the machine that this process runs on: its CPU may be asked directly. */
bool host_is_this_machine(const struct host *host);

/** How many of our seconds one of the host's may take: 1, but for an emulator's own clock. Limits
 * on what runs there are to be multiplied by it. */
unsigned int host_slowness(const struct host *host);

/* -- processes ------------------------------------------------------------------------------ */

enum host_wait {
	HOST_WAIT_DONE,	       /* it ended, or the line came */
	HOST_WAIT_TIMEOUT,     /* the limit has passed */
	HOST_WAIT_INTERRUPTED, /* interrupt_seen() */
	HOST_WAIT_ENDED,       /* host_wait_line() only: it ended before the line came */
	HOST_WAIT_ERROR,       /* it cannot be waited for; errno is set */
};

enum host_output { HOST_STDOUT, HOST_STDERR };

/**
 * Starts a program on the host's CPU, looked for in PATH unless argv[0] has a slash. Its standard
 * input is empty, what it prints is kept for host_output_text(). It dies with this process.
 */
int host_start(struct host *host, const char *const *argv, struct host_process **process,
	       struct reason *reason);

/** Waits until a line of standard output begins with this text. */
enum host_wait host_wait_line(struct host_process *process, const char *beginning,
			      int64_t limit_ns);

/** Waits until it has ended; *status as of waitpid(). */
enum host_wait host_wait(struct host_process *process, int64_t limit_ns, int *status);

/** CPU time that it has used so far, with its threads, in ns; after its end with its children too.
 *  -1: unknown. */
int64_t host_cpu_time_ns(struct host_process *process);

/** What it has printed so far, NUL-terminated, to be freed; NULL: no memory. At most 16 MiB. */
char *host_output_text(struct host_process *process, enum host_output which);

/** Ends the process if it still runs, first asking it to. Its output can still be read. */
void host_end(struct host_process *process);

/** Ends it likewise, and frees it. NULL is allowed. */
void host_close_process(struct host_process *process);

/* -- for the kinds of hosts ----------------------------------------------------------------- */

/** What a kind of host does; each as the function of that name above. */
struct host_operations {
	void (*close)(struct host *host);
	unsigned int (*free_port)(struct host *host, struct reason *reason);
	int (*set_mtu)(struct host *host, unsigned int mtu_bytes, struct reason *reason);
	unsigned int (*mtu)(struct host *host);
	int (*check_congestion)(struct host *host, const char *name, struct reason *reason);
	ssize_t (*read_file)(struct host *host, const char *path, char *text, size_t size);
	int (*write_file)(struct host *host, const char *path, const char *text);
	int (*start)(struct host *host, const char *const *argv, struct host_process **process,
		     struct reason *reason);
	/* NULL where a kind has no such thing: */
	int (*use_kernel)(struct host *host, const char *name, struct reason *reason);
	int (*recover)(struct host *host, struct reason *reason);
	int (*count_begin)(struct host *host, struct reason *reason);
	int (*count_end)(struct host *host, struct counts *counts, struct reason *reason);
	const struct symbols *(*symbols)(const struct host *host);
};

/** The head of every kind's own structure. */
struct host {
	const struct host_operations *operations;
	bool is_this_machine;
	unsigned int slowness; /* 0 is 1 */
	unsigned int cpu;
	char address[46];
};

/** local.c: two network namespaces joined by veth, or loopback. */
int local_open(const struct host_configuration *board, const struct host_configuration *peer,
	       struct host_pair *pair, struct reason *reason);

/** qemu.c: the virtual board, with its peer outside, or inside too. */
int qemu_open(const struct host_configuration *board, const struct host_configuration *peer,
	      struct host_pair *pair, struct reason *reason);
int qemu_open_inside(const struct host_configuration *board, const struct host_configuration *peer,
		     struct host_pair *pair, struct reason *reason);

#endif
