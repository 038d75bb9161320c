/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Engine "uring", what its files share: the tiers, a worker and its ring, a flow's requests.
 *
 *	uring.c		the control thread's side: opening, adding, stopping, closing
 *	uring_probe.c	which tier works here
 *	uring_ring.c	ring set-up and receive slots
 *	uring_worker.c	a worker's loop, and the end of flows
 *	uring_receive.c	receiving flows
 *	uring_send.c	sending flows
 *	uring_echo.c	echo flows
 */
#ifndef NETBENCH_URING_PRIVATE_H
#define NETBENCH_URING_PRIVATE_H

#include <liburing.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "netbench/engine/engine_private.h"

/* -- sizes, to be tuned -------------------------------------------------------------------- */

#define URING_TCP_SLOTS	     16 /* a worker's, all its flows share them; a power of two */
#define URING_TCP_SLOT_BYTES ((size_t)32 << 10)
#define URING_UDP_SLOTS	     64	   /* likewise, of ENGINE_DATAGRAM_SLOT_BYTES each */
#define URING_UDP_SEND_SLOTS 16	   /* sent together, TCP has one */
#define URING_GATHER_NS	     20000 /* while datagrams come */
#define URING_DRAIN_READS    16	   /* of a flow that was stopped, before others have their turn */
#define URING_SQ_ENTRIES     256
#define URING_CQ_ENTRIES     4096 /* more than slots and requests of a few hundred flows */

/* The most requests that one completion or command makes; there must be room for them. */
#define URING_REQUESTS_A_STEP (URING_UDP_SEND_SLOTS + 4)

_Static_assert(URING_SQ_ENTRIES >= 2 * URING_REQUESTS_A_STEP, "commands and completions need room");
_Static_assert(URING_CQ_ENTRIES > 2 * (URING_TCP_SLOTS + URING_UDP_SLOTS),
	       "each slot may bring a completion");

/* -- tiers --------------------------------------------------------------------------------- */

enum uring_tier {
	URING_TIER_NONE,
	URING_TIER_C, /* Linux 5.6: single-shot receives into slots of the flow's own */
	URING_TIER_B, /* Linux 6.0: multishot receives into slots that flows share */
	URING_TIER_A, /* Linux 6.10: as B, and the kernel knows bundles */
};

/**
 * The best tier up to best that works, found by doing a little of what flows do. URING_TIER_NONE:
 * none, *why says why and errno is set.
 */
enum uring_tier uring_probe(enum uring_tier best, char *why, size_t why_size);

/** 'A', 'B' or 'C'. */
char uring_tier_letter(enum uring_tier tier);

/** The open() of an engine with the tiers up to best alone, for tests of the lower ones. */
struct engine *uring_open_up_to(enum uring_tier best, const struct engine_options *options,
				char *why, size_t why_size);

/* -- a ring and its receive slots ---------------------------------------------------------- */

/** Slots that the kernel takes one after the other: a provided buffer ring. */
struct uring_slots {
	struct io_uring_buf_ring *ring; /* shared with the kernel; NULL: there is none */
	size_t ring_bytes;
	void *memory;
	unsigned char *first;
	size_t stride_bytes;
	size_t slot_bytes;
	unsigned int count;
	uint16_t group; /* its number for the kernel */
};

enum uring_group {
	URING_GROUP_TCP,
	URING_GROUP_UDP,
	URING_GROUPS,
};

/** Opens a ring with the newest flags that the tier may have and the kernel takes; 0 or -errno. */
int uring_ring_open(struct io_uring *ring, enum uring_tier tier, unsigned int sq_entries,
		    unsigned int cq_entries);

/** Registers count slots (a power of two) that begin at align modulo 64; 0 or -errno. */
int uring_slots_create(struct uring_slots *slots, struct io_uring *ring, uint16_t group,
		       unsigned int count, size_t slot_bytes, unsigned int align);
/** After the ring has been closed. */
void uring_slots_destroy(struct uring_slots *slots);
unsigned char *uring_slot(const struct uring_slots *slots, unsigned int index);
/** Gives a slot back to the kernel. */
void uring_slot_return(struct uring_slots *slots, unsigned int index);

/* -- workers and flows --------------------------------------------------------------------- */

struct uring_flow;

struct uring_flow_list {
	struct uring_flow *first, *last;
};

struct uring_worker {
	struct engine *engine;
	enum uring_tier tier;
	size_t slot_bytes; /* of TCP */
	pthread_t thread;
	unsigned int flow_count; /* control thread only */

	/* Between the control thread and the worker. */
	pthread_mutex_t lock;
	pthread_cond_t opened;
	bool is_open;
	int open_error;			 /* 0 or -errno, once is_open */
	bool leave;			 /* the worker shall end */
	struct uring_flow_list commands; /* flows to start or stop */
	int wake_fd;			 /* eventfd: there are commands */

	/* The worker's own. */
	struct io_uring ring;
	struct uring_slots slots[URING_GROUPS];
	struct flow_buffer *buffer;
	void *drain_memory;
	unsigned char *drain_slot; /* ENGINE_DATAGRAM_SLOT_BYTES or a TCP slot, whichever is more */
	bool wake_armed;
	bool has_commands;
	bool datagrams_came;		  /* since it last slept */
	int submit_error;		  /* the last that was reported */
	struct uring_flow_list starved;	  /* flows whose receive found no slot free at all */
	struct uring_flow_list for_slots; /* likewise, after it had used some */
	struct uring_flow_list draining;  /* flows that were stopped and empty their sockets */
};

/* A datagram of the echo: where it came from, to which of our addresses. */
struct uring_datagram {
	struct sockaddr_storage from;
	_Alignas(struct cmsghdr) unsigned char control[ENGINE_CONTROL_BYTES];
	struct iovec slot;
	struct msghdr message;
};

struct uring_flow {
	struct engine_flow common;
	struct uring_worker *worker;

	/* Under the worker's lock. */
	struct uring_flow *next_command;
	bool queued; /* in worker->commands */
	bool stop_asked;
	bool ended; /* no command is taken any more */

	/* The worker's own, until the flow is handed back. */
	bool started;
	bool ending; /* makes no new requests */
	bool drained;
	bool receive_armed; /* requests that the kernel has */
	bool timer_armed;
	unsigned int sends_in_flight;
	unsigned int cancels_in_flight;
	bool was_served;		/* got bytes since it last asked for them */
	size_t gather_bytes_max;	/* datagrams of more are worth being woken for each */
	struct uring_flow *next_listed; /* in starved, for_slots or draining */
	struct uring_flow_list *listed;
	uint64_t stop_before_ns;

	/* Memory of its own, made by uring_add(). */
	void *receive_memory; /* tier C, UDP echo, large datagrams */
	unsigned char *receive_slot;
	size_t receive_bytes;
	void *send_memory;
	unsigned char *first_send_slot;
	size_t send_stride_bytes;
	struct uring_datagram *datagram; /* UDP echo */

	/* Sending: block n lies in slot n modulo the number of slots. */
	unsigned int filled; /* blocks */
	unsigned int sent;   /* blocks */
	size_t block_bytes;  /* of the slot that was filled last; echo: as many as were received */
	size_t sent_bytes;   /* of the block that is sent */
	bool send_failed;    /* since the last were sent */
	struct __kernel_timespec due;
};

/* -- user_data ----------------------------------------------------------------------------- */

enum uring_operation {
	URING_WAKE, /* of the worker, no flow */
	URING_RECEIVE,
	URING_SEND,
	URING_TIMER,
	URING_CANCEL,
};

/** What a request carries and its completion brings back: a flow, and what was asked for it. */
union uring_tag {
	uint64_t user_data;
	struct {
		uint64_t operation : 3;
		uint64_t flow : 61; /* its address, which is a multiple of 8, divided by that */
	};
};

static inline uint64_t uring_tag_encode(const struct uring_flow *flow,
					enum uring_operation operation)
{
	union uring_tag tag = { .operation = operation, .flow = (uintptr_t)flow / 8 };

	return tag.user_data;
}

static inline enum uring_operation uring_tag_decode(uint64_t user_data, struct uring_flow **flow)
{
	union uring_tag tag = { .user_data = user_data };

	*flow = (struct uring_flow *)(uintptr_t)(tag.flow * 8);
	return (enum uring_operation)tag.operation;
}

/* -- between the files of a worker --------------------------------------------------------- */

/**
 * A request to fill in; there is always one, as the worker takes up a completion or command only
 * while there is room for all that it may lead to. To be tagged after it was filled in.
 */
struct io_uring_sqe *uring_request(struct uring_worker *worker);

void uring_list_add(struct uring_flow_list *list, struct uring_flow *flow);
/** Out of the list it is in, if any. */
void uring_list_remove(struct uring_flow *flow);

/** The flow makes no more requests; it is handed back when the kernel has done with all it has. */
void uring_flow_end(struct uring_flow *flow);
/** The body of a worker's thread. */
void *uring_worker_run(void *worker);

/** Receiving and echo flows: asks for the next bytes. */
void uring_receive_arm(struct uring_flow *flow);
/** Datagrams of up to so many bytes may wait in this socket until more have come. */
size_t uring_gather_bytes_max(int fd);
/** The same, once slots have been given back: the last receive ended as none was free. */
void uring_receive_arm_later(struct uring_flow *flow);
void uring_received(struct uring_flow *flow, int result, uint32_t flags);
/** Some reads of a flow that was stopped; true: its socket is empty, or the time is up. */
bool uring_drain(struct uring_flow *flow);
/** The slot that a completion brought, NULL: none. It is to be given back by the next one. */
unsigned char *uring_received_slot(const struct uring_flow *flow, uint32_t flags);
void uring_received_slot_return(struct uring_flow *flow, uint32_t flags);

/** A sending flow with nothing in flight: sends what is due, or waits until something is. */
void uring_send_next(struct uring_flow *flow);
void uring_sent(struct uring_flow *flow, int result);

void uring_echo_received(struct uring_flow *flow, int result, uint32_t flags);
void uring_echo_sent(struct uring_flow *flow, int result);
/** UDP echo: asks for the next datagram. */
void uring_echo_arm(struct uring_flow *flow);

#endif
