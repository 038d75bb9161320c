/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the two halves of the server share: server.c, which has the clients, and arrivals.c, which
 * takes connections and hellos.
 */
#ifndef NETBENCH_IPERF3_SERVER_PRIVATE_H
#define NETBENCH_IPERF3_SERVER_PRIVATE_H

#include "netbench/iperf3/listener.h"
#include "netbench/iperf3/newcomer.h"
#include "netbench/iperf3/server.h"
#include "netbench/iperf3/session.h"
#include "netbench/iperf3/turns.h"

struct server {
	struct server_config config;
	struct session_hooks hooks;
	struct listener listener;
	struct watch tcp;
	struct watch udp;
	uint16_t port;
	int reserve_fd; /* given up for a moment to refuse a client when descriptors run out */
	uint64_t accept_paused_until_ns; /* 0: not paused */
	uint64_t heard_ns; /* all that came until then has been dispatched */
	struct newcomers newcomers;
	struct turns clients;
};

/* Of server.c. */

/**
 * Makes a client of a newcomer whose cookie is complete, and takes its descriptor. False: no memory
 * or descriptor, errno is set; the newcomer still has it.
 */
bool server_add_client(struct server *server, struct newcomer *newcomer);

/* Of arrivals.c. */

/** Begins to take connections and hellos. 0 or -errno. */
int arrivals_open(struct server *server);
/** Takes no more connections. */
void arrivals_stop(struct server *server);
void arrivals_close(struct server *server);

/** Enforces deadlines that have passed by server->heard_ns; *due_ns becomes earlier if there are
 * nearer ones. */
void arrivals_tick(struct server *server, uint64_t now_ns, uint64_t *due_ns);

static inline void server_due_earlier(uint64_t *due_ns, uint64_t other_ns)
{
	if (other_ns < *due_ns)
		*due_ns = other_ns;
}

#endif
