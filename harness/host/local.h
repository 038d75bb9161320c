/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Local hosts: what their two files share. local.c opens and closes them and starts programs;
 * local_network.c does what has to be done inside a host's network namespace.
 */
#ifndef HARNESS_HOST_LOCAL_H
#define HARNESS_HOST_LOCAL_H

#include "harness/host/host.h"

#define LOCAL_LOOPBACK_ADDRESS "127.0.0.1"

struct local_host {
	struct host host;
	int user_fd, net_fd; /* -1: this process's own */
	char interface[16];
	unsigned int mtu_bytes; /* as last set; 0: not yet */
};

static inline struct local_host *local_of(struct host *host)
{
	return (struct local_host *)host; /* its first member */
}

/* Of the range for benchmarks of network devices, RFC 2544: routed nowhere. */
#define LOCAL_BOARD_ADDRESS "198.18.0.1"
#define LOCAL_PEER_ADDRESS  "198.18.0.2"

/** A host on this machine's loopback, to be separated; NULL: no memory. */
struct host *local_create(unsigned int cpu);

/** Puts a host into namespaces, without what would let one cell speak to the next. It owns net_fd
 *  and user_fd from then on. */
void local_put_into(struct host *host, int user_fd, int net_fd);

/** Takes a host back to loopback, and closes what it was given. */
void local_take_back(struct host *host);

/** Runs ip (iproute2) in the host's namespaces, a command a line. Returns 0, or -1 with the reason.
 */
int local_run_ip(const struct local_host *local, const char *commands, struct reason *reason);

/** Gives an end its address and interface, those of the configuration if it has any. */
int local_name_end(struct host *host, const char *which, const struct host_configuration *wanted,
		   const char *address, const char *interface, struct reason *reason);

/** Enters the namespaces of a struct local_host, in a child. Returns 0 or an errno. */
int local_enter(const void *local);

/* As the functions of host.h. */
ssize_t local_read_file(struct host *host, const char *path, char *text, size_t size);
int local_write_file(struct host *host, const char *path, const char *text);
int local_set_mtu(struct host *host, unsigned int mtu_bytes, struct reason *reason);
unsigned int local_mtu(struct host *host);
int local_check_congestion(struct host *host, const char *name, struct reason *reason);
unsigned int local_free_port(struct host *host, struct reason *reason);

#endif
