/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Flow: one stream of a test, or one echo connection. It owns the descriptor, what is counted, and
 * the rule by which blocks follow each other; it is the only place that calls a copy routine.
 *
 * One thread at a time moves its bytes (an engine's worker); another may read its counters.
 */
#ifndef NETBENCH_FLOW_H
#define NETBENCH_FLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow;
struct flow_buffer;
struct sockaddr;

#define FLOW_BLOCK_BYTES_MAX ((size_t)1 << 20)
#define FLOW_LARGE_BLOCK_BYTES \
	((size_t)128 << 10)	   /* iperf3's default: nobody asked for small ones */
#define FLOW_DATAGRAM_BYTES_MIN 16 /* the longer of the protocol's two headers */
#define FLOW_DATAGRAM_BYTES_MAX 65507

enum flow_role {
	FLOW_RECEIVER, /* kernel -> slot -> copy -> application buffer */
	FLOW_SENDER,   /* application block -> copy -> slot -> kernel */
	FLOW_ECHO,     /* slot -> copy -> send slot */
};

struct flow_config {
	int fd; /* non-blocking; owned by the flow from flow_create() on */
	enum flow_role role;
	bool udp;		       /* a datagram socket; connected, except for FLOW_ECHO */
	bool udp_counters_64bit;       /* sequence numbers of 8 bytes instead of 4 */
	size_t block_bytes;	       /* senders: bytes a write, 1 .. FLOW_BLOCK_BYTES_MAX;
					* UDP: length of each datagram, FLOW_DATAGRAM_BYTES_MIN .. _MAX
					*/
	uint64_t rate_bits_per_s;      /* senders: 0 = no limit */
	uint32_t burst_blocks;	       /* senders: blocks sent in a row at a limited rate; 0 = 1 */
	_Atomic uint64_t *blocks_left; /* senders: how many more all the flows that share this may
					* send together; NULL: no limit. Outlives the flow. */
	void *owner;		       /* for the control plane, returned by flow_owner() */
};

/** What a flow has done. Read at any time; consistent to within one block while bytes move. */
struct flow_totals {
	uint64_t bytes;		   /* payload, datagram headers of the protocol included */
	uint64_t blocks;	   /* reads or writes; UDP: datagrams */
	uint64_t highest_sequence; /* UDP receivers: highest sequence seen; senders: last sent */
	uint64_t lost;		   /* UDP receivers, by the protocol's rule */
	uint64_t out_of_order;	   /* UDP receivers */
	uint64_t errors;	   /* UDP: errors of the network that did not end the flow */
	double jitter_s;	   /* UDP receivers, RFC 1889 */
	uint64_t copied_bytes;	   /* bytes that went through the copy routine */
	uint64_t timed_bytes;	   /* of these, the ones whose copies were timed */
	int64_t timed_ns;	   /* of those copies, less what reading the clock costs */
};

/** NULL: no memory (the descriptor is then still the caller's). */
struct flow *flow_create(const struct flow_config *config);
/** Closes the descriptor and frees. Only while no engine holds the flow. NULL is allowed. */
void flow_destroy(struct flow *flow);

void *flow_owner(const struct flow *flow);
int flow_fd(const struct flow *flow);
void flow_read_totals(const struct flow *flow, struct flow_totals *totals);
/**
 * Time in the copy routine between two readings of the totals, estimated from the copies that were
 * timed between them; 0: none were.
 */
uint64_t flow_copy_ns(const struct flow_totals *begin, const struct flow_totals *end);
/** 0, or the errno that ended the flow. End of file is 0. */
int flow_error(const struct flow *flow);

/*
 * For engines, which move the bytes. All of these are called by the one thread that moves the
 * flow's bytes, with that thread's buffer (flow_buffer.h). Receive slots begin at the buffer's
 * source_align, send slots at its destination_align, both modulo 64.
 */

const struct flow_config *flow_configuration(const struct flow *flow);

/** What an engine keeps beside the flow; NULL until it is set. */
void flow_set_engine_data(struct flow *flow, void *data);
void *flow_engine_data(const struct flow *flow);

/**
 * A receiver: what one read put into the slot, which is free again on return. UDP: one datagram;
 * one that is shorter than the protocol's header is ignored.
 */
void flow_received(struct flow *flow, struct flow_buffer *buffer, const void *slot, size_t bytes);

/**
 * A sender: bytes of a slot, the most that go out with one send: one block, or, over TCP without a
 * limit of rate, as many as make a send worth its cost. A client that asks for small blocks gets
 * small sends.
 */
size_t flow_send_bytes(const struct flow *flow);

/**
 * A sender: when its next block is due, by CLOCK_MONOTONIC; 0: at once; INT64_MAX: never, all that
 * was to be sent is. Blocks that are late follow each other without pause until the rate's schedule
 * is met again.
 */
uint64_t flow_due_ns(const struct flow *flow);

/**
 * A sender: puts the next blocks into the slot; returns their bytes, flow_send_bytes() or less as
 * the end nears; 0: another flow took the last blocks after flow_due_ns() was asked. UDP: with time
 * and sequence number, so datagrams must be sent in the order in which they were filled. Without a
 * copy step the slot is sent as it is: fill it once with flow_pattern_fill().
 */
size_t flow_fill(struct flow *flow, struct flow_buffer *buffer, void *slot);

/** Senders and echo: bytes the kernel took; ends_slot: they were the last ones of a slot. */
void flow_sent(struct flow *flow, size_t bytes, bool ends_slot);

/** UDP senders: a datagram that was filled and then refused by the kernel: lost on the way. */
void flow_dropped(struct flow *flow);

/** Echo: puts what was received into the send slot; without a copy step too. */
void flow_echo(struct flow *flow, struct flow_buffer *buffer, void *send_slot, const void *slot,
	       size_t bytes);

/**
 * UDP echo: may this sender be answered? Not if it is a well-known port (below 1024), whose service
 * might answer in turn; nor our own port number, on any host, which would be another echo server.
 */
bool flow_echo_answers(const struct flow *flow, const struct sockaddr *from);

/**
 * A read or write failed. True: the flow goes on, the error is counted: over UDP an error tells of
 * what the network did to an earlier datagram. False: the flow has ended with that error.
 */
bool flow_goes_on(struct flow *flow, int error);

#endif
