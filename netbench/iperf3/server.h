/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The iperf3 server: takes connections and hellos, and brings them to their sessions.
 *
 * Everything happens in the thread that runs the loop. Any number of clients is served at once. A
 * connection is a stream if its cookie is that of a session that waits for streams, else a new
 * client. What cannot be told apart otherwise is opened one client after the other: UDP streams of
 * the same host, because a hello carries no cookie; and streams with a window or segment size of
 * their own, because these are settings of the listener.
 */
#ifndef NETBENCH_IPERF3_SERVER_H
#define NETBENCH_IPERF3_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct loop;
struct report;
struct server;

struct server_config {
	const char *bind_address; /* NULL: all addresses, IPv6 and IPv4 */
	uint16_t port;		  /* 0: any that is free */
	struct loop *loop;
	struct engine *engine;
	void *context; /* for the functions below */
	/** A client's bytes begin to move. */
	void (*started)(void *context, const struct report *report);
	/** A client's test is over, well or not (report->error). */
	void (*ended)(void *context, const struct report *report);
	/** A connection was closed that did not get as far as a test. */
	void (*rejected)(void *context, const char *client, const char *reason);
};

/** NULL on failure, with errno and the reason, and what to do about it, in why[0 .. why_bytes). */
struct server *server_open(const struct server_config *config, char *why, size_t why_bytes);

/** Both TCP and UDP. */
uint16_t server_port(const struct server *server);

/**
 * Enforces deadlines, lets waiting clients go on and frees what is over. To be called before each
 * loop_run(). Returns how long that may wait, in milliseconds; -1: for ever.
 */
int server_tick(struct server *server);

/** Takes no new clients any more. */
void server_stop_listening(struct server *server);

/** Is no client there? */
bool server_is_idle(const struct server *server);

/** Tells all clients that the server stops, and reports their tests so far. */
void server_terminate(struct server *server);

/** After engine_close(). NULL is allowed. */
void server_close(struct server *server);

#endif
