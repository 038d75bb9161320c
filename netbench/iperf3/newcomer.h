/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Newcomer: a connection that has not said yet what it is. It has to send a cookie, soon; until
 * then it costs a descriptor and nothing else. Also a connection that is refused, until its client
 * has read why.
 */
#ifndef NETBENCH_IPERF3_NEWCOMER_H
#define NETBENCH_IPERF3_NEWCOMER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "netbench/iperf3/address.h"
#include "netbench/iperf3/wire.h"
#include "netbench/loop.h"

struct newcomer {
	struct watch watch; /* first: the handler finds the newcomer by it */
	TAILQ_ENTRY(newcomer) link;
	struct loop *loop;
	union address peer; /* normalized */
	uint64_t accepted_ns;
	uint64_t deadline_ns;
	size_t cookie_bytes; /* of them that have come */
	uint8_t cookie[WIRE_COOKIE_BYTES];
	bool refused;
	int starved; /* an errno: nothing is left for it, and it can only be told so */
	void *context;
	/**
	 * The cookie is complete (reason NULL: the receiver takes the descriptor), or the newcomer
	 * is to be removed, for that reason. The receiver calls newcomer_destroy().
	 */
	void (*done)(struct newcomer *newcomer, const char *reason);
};

TAILQ_HEAD(newcomers, newcomer);

/** Takes fd in any case. NULL: no memory or descriptor, the connection was closed. */
struct newcomer *newcomer_create(struct loop *loop, int fd, const union address *peer,
				 void (*done)(struct newcomer *, const char *), void *context);

/** Takes the descriptor out of it. */
int newcomer_release_fd(struct newcomer *newcomer);

/** Closes the connection, if it still has it. */
void newcomer_destroy(struct newcomer *newcomer);

/**
 * Sends a state, or iperf3's error number with an errno when the state is WIRE_SERVER_ERROR, and
 * waits shortly for the client to read it.
 */
void newcomer_refuse(struct newcomer *newcomer, enum wire_state state, unsigned int error,
		     int cause);

#endif
