/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Echo: a TCP and a UDP server on one port that send back what they get, through the same engine
 * and copy routine as the streams of tests.
 *
 * Every connection, and the UDP socket, is a flow of its own in the engine (FLOW_ECHO); here is
 * only what the control thread does: accept, limit, clean up.
 */
#ifndef NETBENCH_ECHO_H
#define NETBENCH_ECHO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ECHO_CONNECTIONS_MAX 1024

struct echo;
struct engine;
struct flow;
struct loop;

struct echo_config {
	const char *bind_address; /* name or address; NULL: all of this host */
	uint16_t port;		  /* 0: any that is free for both TCP and UDP */
	struct loop *loop;
	struct engine *engine;
	unsigned int connections_max; /* at one time; 0: ECHO_CONNECTIONS_MAX */
};

/** NULL: errno is set, and why says what is wrong and what to do. */
struct echo *echo_open(const struct echo_config *config, char *why, size_t why_size);

uint16_t echo_port(const struct echo *echo);

/**
 * To be asked about each flow that comes out of engine_next_ended(). True: it was the echo's, and
 * is gone; false: it is somebody else's. NULL is allowed: nothing is the echo's.
 */
bool echo_flow_ended(struct echo *echo, struct flow *flow);

/** After engine_close(), which has ended the echo's flows; before loop_close(). NULL is allowed. */
void echo_close(struct echo *echo);

#endif
