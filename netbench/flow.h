/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Flow: one stream of a test, or one echo connection. It owns the descriptor, what is counted, and
 * the rule by which blocks follow each other; it is the only place that calls a copy routine.
 *
 * One thread at a time moves its bytes (an engine's worker); another may read its counters.
 */
#ifndef NETBENCH_FLOW_H
#define NETBENCH_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow;

enum flow_role {
	FLOW_RECEIVER, /* kernel -> slot -> copy -> application buffer */
	FLOW_SENDER,   /* application block -> copy -> slot -> kernel */
	FLOW_ECHO,     /* slot -> copy -> send slot */
};

struct flow_config {
	int fd; /* non-blocking; owned by the flow from flow_create() on */
	enum flow_role role;
	bool udp;		      /* a datagram socket; connected, except for FLOW_ECHO */
	bool udp_counters_64bit;      /* sequence numbers of 8 bytes instead of 4 */
	size_t block_bytes;	      /* senders: bytes a write; UDP: length of each datagram */
	uint64_t rate_bits_per_s;     /* senders: 0 = no limit */
	uint32_t burst_blocks;	      /* senders: blocks sent in a row at a limited rate; 0 = 1 */
	void *owner;		      /* for the control plane, returned by flow_owner() */
};

/** What a flow has done. Read at any time; consistent to within one block while bytes move. */
struct flow_totals {
	uint64_t bytes;		  /* payload, datagram headers of the protocol included */
	uint64_t blocks;	  /* reads or writes; UDP: datagrams */
	uint64_t highest_sequence; /* UDP receivers: highest sequence seen; senders: last sent */
	uint64_t lost;		  /* UDP receivers, by the protocol's rule */
	uint64_t out_of_order;	  /* UDP receivers */
	double jitter_s;	  /* UDP receivers, RFC 1889 */
	uint64_t copied_bytes;	  /* bytes that went through the copy routine */
	uint64_t copy_ns;	  /* time in it, estimated from the copies that were timed */
};

/** NULL: no memory (the descriptor is then still the caller's). */
struct flow *flow_create(const struct flow_config *config);
/** Closes the descriptor and frees. Only while no engine holds the flow. NULL is allowed. */
void flow_destroy(struct flow *flow);

void *flow_owner(const struct flow *flow);
int flow_fd(const struct flow *flow);
/** Takes the descriptor out of the flow, which then closes nothing. */
int flow_release_fd(struct flow *flow);
void flow_read_totals(const struct flow *flow, struct flow_totals *totals);
/** 0, or the errno that ended the flow. End of file is 0. */
int flow_error(const struct flow *flow);

#endif
