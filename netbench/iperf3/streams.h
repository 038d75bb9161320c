/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The streams of one test: their sockets and flows, and what they did between two moments.
 *
 * Life: streams are added one by one as the client opens them; started; their figures taken as the
 * beginning (again after what is to be omitted); stopped, which takes a moment; then ended. Sockets
 * that sent are closed at once. Those that received are read on until the client closes them:
 * clients up to 3.12 die of a connection that is closed under them.
 */
#ifndef NETBENCH_IPERF3_STREAMS_H
#define NETBENCH_IPERF3_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netbench/iperf3/address.h"
#include "netbench/iperf3/results.h"

struct streams;
struct engine;
struct flow;
struct loop;

struct streams_config {
	const struct parameters *parameters; /* must outlive the streams */
	struct engine *engine;
	struct loop *loop;
	void (*ended)(void *context); /* the last flow has come back from the engine */
	/* A flow came back because of an error (an errno); called before ended(). */
	void (*broke)(void *context, bool sender, int error);
	void *context;
};

/** What all streams did together since streams_begin(). */
struct streams_totals {
	uint64_t received_bytes;
	uint64_t sent_bytes;
	uint64_t packets; /* UDP: sequence numbers seen by receivers, or sent if there are none */
	uint64_t lost;	  /* UDP receivers */
	uint64_t out_of_order;
	uint64_t network_errors; /* UDP: what was refused or answered by an error, in both
				    directions */
	double jitter_s;	 /* UDP receivers: mean of the streams */
	uint64_t retransmits;
	uint64_t copied_bytes;
	uint64_t copy_ns;
};

/** NULL: no memory. */
struct streams *streams_create(const struct streams_config *config);

/** Closes everything. Only when streams_ended(), or when the engine has been closed. */
void streams_destroy(struct streams *streams);

/** How many the client has still to open. */
size_t streams_missing(const struct streams *streams);

/**
 * Adds the next stream; the first ones receive, the last ones send. Takes the socket in any case.
 * Returns IPERF3_OK or an error number, with errno set to 0 or the cause and *what naming what
 * failed.
 */
unsigned int streams_add(struct streams *streams, int fd, const char **what);

/** Gives the receivers, or the senders, to the engine. Returns as streams_add(). */
unsigned int streams_start(struct streams *streams, bool senders, const char **what);

/** Asks for the end of all flows; config.ended() is called when they have ended. */
void streams_stop(struct streams *streams);

/** True while no flow is with the engine. */
bool streams_ended(const struct streams *streams);

/** To be called with each flow that comes back from the engine and has a stream as its owner. */
void streams_flow_ended(struct flow *flow);

/** Figures count from now on. */
void streams_begin(struct streams *streams);
/** Figures count until now. */
void streams_finish(struct streams *streams);

/** Closes what sent, goes on reading what received. After the end of all flows. */
void streams_drain(struct streams *streams);
/** Has the client closed all that was being drained? */
bool streams_drained(const struct streams *streams);

/** Fills stream_count, streams, sender_has_retransmits and congestion_used of the results. */
void streams_results(const struct streams *streams, double seconds, struct results *results);
void streams_total(const struct streams *streams, struct streams_totals *totals);

/** The congestion control in use; "" over UDP. */
const char *streams_congestion(const struct streams *streams);

/** Is there a stream with this peer, port included, already? */
bool streams_have_peer(const struct streams *streams, const union address *peer);

/** Bytes moved so far in both directions, at any time. */
uint64_t streams_bytes_now(const struct streams *streams);
/** Bytes that have come and wait in the sockets. */
uint64_t streams_bytes_waiting(const struct streams *streams);

#endif
