/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Session: the control connection of one client, from the cookie to the end of its test.
 *
 * A session never waits: it reads what is there and has deadlines, which session_tick() enforces.
 * Whatever goes wrong, the client is told as far as it can be, the reason is reported, and the
 * session ends by itself; the server destroys it when session_over().
 */
#ifndef NETBENCH_IPERF3_SESSION_H
#define NETBENCH_IPERF3_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netbench/iperf3/address.h"
#include "netbench/iperf3/report.h"
#include "netbench/iperf3/wire.h"

struct engine;
struct loop;
struct session;

/** What a session tells its server. A hook must not destroy the session. */
struct session_hooks {
	/** The parameters are known, the client waits: session_create_streams() when it may go on.
	 */
	void (*ready)(void *context, struct session *session);
	/** All streams have come, or never will: others may have theirs. Only after "ready". */
	void (*streams_done)(void *context, struct session *session);
	/** Bytes begin to move. */
	void (*started)(void *context, const struct report *report);
	/** The test is over, well or not (report->error). Once a session that was ready. */
	void (*ended)(void *context, const struct report *report);
	/** The connection was closed before it was ready. Instead of "ended". */
	void (*rejected)(void *context, const char *client, const char *reason);
};

struct session_config {
	int fd; /* non-blocking, the cookie has been read; the session's from now on */
	uint8_t cookie[WIRE_COOKIE_BYTES];
	union address peer; /* normalized */
	struct loop *loop;
	struct engine *engine;
	const struct session_hooks *hooks;
	void *context;
	uint64_t accepted_ns; /* parameters must be there soon after */
};

/** Begins the exchange of parameters. NULL: no memory or descriptor; fd is still the caller's. */
struct session *session_open(const struct session_config *config);

/** Only when session_over(), or when the engine has been closed. */
void session_destroy(struct session *session);

/** Lets a ready session go on. tuning: what error tuning the listener had, or IPERF3_OK. */
void session_create_streams(struct session *session, unsigned int tuning_error);

/** Takes a data connection (or the connected socket of a hello). */
void session_add_stream(struct session *session, int fd);

/** Does a stream with this peer, port included, exist already? */
bool session_has_stream(const struct session *session, const union address *peer);

/** A stream could not be opened for lack of something on our side. */
void session_stream_failed(struct session *session, int error);

/** While streams are missing: others wait for this session, so it must make progress quickly. */
void session_hurry(struct session *session, bool others_wait);

/** The server stops: tells the client and closes. */
void session_terminate(struct session *session);

/** Does what is due now, and enforces deadlines that passed before heard_ns: all that came until
 * then has been seen. */
void session_tick(struct session *session, uint64_t now_ns, uint64_t heard_ns);
/** When session_tick() has something to do; UINT64_MAX: not by itself. */
uint64_t session_due_ns(const struct session *session);

bool session_over(const struct session *session);
/** Is it ready, and not yet allowed to create streams? */
bool session_is_waiting(const struct session *session);
/** Is it waiting for streams of its client to be opened? */
bool session_is_creating(const struct session *session);
/** Is the client being told that its test cannot be? */
bool session_is_refused(const struct session *session);

const struct parameters *session_parameters(const struct session *session);
const union address *session_peer(const struct session *session);
const uint8_t *session_cookie(const struct session *session);

#endif
