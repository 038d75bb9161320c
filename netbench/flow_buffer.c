/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The memory of a worker's application buffer and the places of blocks in it; flow.c copies.
 *
 * All memory is written when it is made: a page that was never written is the kernel's one page of
 * zeros, which stays in the cache and flatters every routine that reads it, and the first write to
 * it is a page fault within a measured copy.
 */
#include "netbench/flow_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "netbench/clock.h"

#define PAGE_BYTES    4096
#define CLOCK_READS   256
#define PATTERN_START UINT64_C(0x9e3779b97f4a7c15)

static size_t round_up(size_t bytes, size_t multiple)
{
	return (bytes + multiple - 1) / multiple * multiple;
}

void flow_pattern_fill(void *memory, size_t bytes)
{
	unsigned char *byte = memory;
	uint64_t state = PATTERN_START;

	while (bytes > 0) {
		size_t step = bytes < sizeof(uint64_t) ? bytes : sizeof(uint64_t);
		uint64_t word;

		/* Xorshift by Marsaglia; each byte's lowest bit is set, so that none is zero. */
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		word = state | UINT64_C(0x0101010101010101);
		memcpy(byte, &word, step);
		byte += step;
		bytes -= step;
	}
}

static bool ring_create(struct flow_ring *ring, size_t bytes, unsigned int align)
{
	size_t memory_bytes = round_up(bytes + FLOW_ALIGNMENT, PAGE_BYTES);

	ring->bytes = bytes / FLOW_ALIGNMENT * FLOW_ALIGNMENT;
	ring->align = align;
	ring->position = 0;
	ring->memory = aligned_alloc(PAGE_BYTES, memory_bytes);
	if (!ring->memory)
		return false;
	flow_pattern_fill(ring->memory, memory_bytes);
	return true;
}

unsigned char *flow_ring_take(struct flow_ring *ring, size_t bytes)
{
	unsigned char *block;

	if (bytes > ring->bytes - ring->position)
		ring->position = 0;
	block = ring->memory + ring->position + ring->align;
	ring->position += round_up(bytes, FLOW_ALIGNMENT);
	return block;
}

/* The mean of many reads, so that it is right with a clock of coarse steps too. */
static uint64_t measure_clock_cost_ns(void)
{
	uint64_t start = clock_now_ns(), last = start;

	for (int i = 0; i < CLOCK_READS; i++)
		last = clock_now_ns();
	return (last - start) / CLOCK_READS;
}

static bool options_valid(const struct flow_buffer_options *options)
{
	if (options->source_align >= FLOW_ALIGNMENT || options->destination_align >= FLOW_ALIGNMENT)
		return false;
	if (options->ring_bytes > SIZE_MAX / 2 ||
	    (options->ring_bytes && options->ring_bytes < FLOW_RING_BYTES_MIN))
		return false;
	return !options->copy || options->copy->memcpy || options->copy->memmove;
}

struct flow_buffer *flow_buffer_create(const struct flow_buffer_options *options)
{
	size_t ring_bytes = options->ring_bytes ? options->ring_bytes : FLOW_RING_BYTES_DEFAULT;
	struct flow_buffer *buffer;

	if (!options_valid(options)) {
		errno = EINVAL;
		return NULL;
	}
	buffer = calloc(1, sizeof(*buffer));
	if (!buffer)
		return NULL;
	buffer->source_align = options->source_align;
	buffer->destination_align = options->destination_align;
	buffer->until_timed = 1;
	if (!options->copy)
		return buffer;
	buffer->copy = options->copy->memcpy ? options->copy->memcpy : options->copy->memmove;
	buffer->clock_cost_ns = measure_clock_cost_ns();
	if ((options->receives &&
	     !ring_create(&buffer->received, ring_bytes, options->destination_align)) ||
	    (options->sends && !ring_create(&buffer->to_send, ring_bytes, options->source_align))) {
		flow_buffer_destroy(buffer);
		errno = ENOMEM;
		return NULL;
	}
	return buffer;
}

void flow_buffer_destroy(struct flow_buffer *buffer)
{
	if (!buffer)
		return;
	free(buffer->received.memory);
	free(buffer->to_send.memory);
	free(buffer);
}

void *flow_slot_allocate(size_t bytes, unsigned int align, unsigned char **slot)
{
	unsigned char *memory =
		aligned_alloc(PAGE_BYTES, round_up(bytes + FLOW_ALIGNMENT, PAGE_BYTES));

	if (memory)
		*slot = memory + align;
	return memory;
}
