/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The application buffer of one worker: where received blocks are copied to and blocks to send are
 * copied from, with the copy routine and the alignments that were asked for.
 *
 * Received and sent blocks each have a ring of their own, so nothing that one peer sent is ever
 * sent to another. Blocks follow each other round the ring; each begins at the asked address modulo
 * 64, so a block may leave up to 63 bytes unused behind it, and one that would not fit before the
 * end begins at the start again. One thread uses a buffer.
 */
#ifndef NETBENCH_FLOW_BUFFER_H
#define NETBENCH_FLOW_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copylib/copylib.h"

#define FLOW_ALIGNMENT		64 /* alignments are addresses modulo this */
#define FLOW_RING_BYTES_MIN	64
#define FLOW_RING_BYTES_DEFAULT ((size_t)128 << 10)

struct flow_buffer_options {
	const struct copy_variant *copy; /* NULL: no copy step */
	size_t ring_bytes;		 /* of each ring; 0: FLOW_RING_BYTES_DEFAULT */
	unsigned int source_align;	 /* 0..63 */
	unsigned int destination_align;	 /* 0..63 */
	bool receives;			 /* there will be receiving flows */
	bool sends;			 /* there will be sending flows */
};

struct flow_ring {
	unsigned char *memory; /* NULL: this direction is not used, or nothing is copied */
	size_t bytes;	       /* a multiple of FLOW_ALIGNMENT */
	size_t position;       /* of the next block, a multiple of FLOW_ALIGNMENT */
	unsigned int align;
};

/* Open to flow.c, which copies, and to tests; engines only pass it on. */
struct flow_buffer {
	copy_memcpy_fn *copy; /* NULL: no copy step */
	unsigned int source_align;
	unsigned int destination_align;
	struct flow_ring received;
	struct flow_ring to_send;
	uint64_t clock_cost_ns;	  /* what reading the clock adds to a timed copy */
	unsigned int until_timed; /* copies until the next one that is timed */
	uint64_t sink;		  /* one word of each copied block goes in here */
};

/** NULL with errno: ENOMEM, or EINVAL for an alignment, a ring or a variant that cannot be used. */
struct flow_buffer *flow_buffer_create(const struct flow_buffer_options *options);
/** NULL is allowed. */
void flow_buffer_destroy(struct flow_buffer *buffer);

/** The address of the ring's next block of 1 .. ring->bytes bytes; the ring moves on behind it. */
unsigned char *flow_ring_take(struct flow_ring *ring, size_t bytes);

/** Writes data that is not zero and does not repeat soon, as a sender's source must hold. */
void flow_pattern_fill(void *memory, size_t bytes);

/**
 * Memory in which an address that is align modulo 64 has room for bytes: *slot. Returns what
 * free() takes, NULL: no memory. The pages behind it are not touched.
 */
void *flow_slot_allocate(size_t bytes, unsigned int align, unsigned char **slot);

#endif
