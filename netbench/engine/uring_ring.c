/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Setting up a ring, and the receive slots that the kernel takes from it.
 *
 * Flags are tried from the newest down, as an older kernel says EINVAL to those it does not know.
 * The slots are a provided buffer ring in memory of our own (the helper that would do it came with
 * liburing 2.4).
 */
#include "netbench/engine/uring_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* -- the ring ------------------------------------------------------------------------------ */

static const struct {
	unsigned int flags;
	enum uring_tier from; /* a lower tier does without, as its kernels do */
} setups[] = {
	/* Linux 6.1: completions are worked off only when the worker asks for them. */
	{ IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, URING_TIER_B },
	/* Linux 5.19: or at least do not interrupt it. */
	{ IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN, URING_TIER_B },
	{ IORING_SETUP_COOP_TASKRUN, URING_TIER_B },
	{ 0, URING_TIER_C },
};

int uring_ring_open(struct io_uring *ring, enum uring_tier tier, unsigned int sq_entries,
		    unsigned int cq_entries)
{
	int error = -EINVAL;

	for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]) && error == -EINVAL; i++) {
		struct io_uring_params parameters = {
			.flags = setups[i].flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
			.cq_entries = cq_entries,
		};

		if (tier >= setups[i].from)
			error = io_uring_queue_init_params(sq_entries, ring, &parameters);
	}
	return error;
}

/* -- slots --------------------------------------------------------------------------------- */

/*
 * Slots are an odd number of cache lines apart, so that they do not all begin at one place of a
 * page: a copy whose source and destination did so would suffer from 4K aliasing each time.
 */
static size_t stride_for(size_t slot_bytes)
{
	size_t lines = slot_bytes / FLOW_ALIGNMENT + 2;

	return (lines | 1) * FLOW_ALIGNMENT;
}

static void *map(size_t bytes)
{
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int uring_slots_create(struct uring_slots *slots, struct io_uring *ring, uint16_t group,
		       unsigned int count, size_t slot_bytes, unsigned int align)
{
	struct io_uring_buf_reg registration = { .ring_entries = count, .bgid = group };
	int error;

	slots->stride_bytes = stride_for(slot_bytes);
	slots->slot_bytes = slot_bytes;
	slots->count = count;
	slots->group = group;
	slots->ring_bytes = count * sizeof(struct io_uring_buf);
	slots->ring = map(slots->ring_bytes);
	slots->memory = aligned_alloc(FLOW_ALIGNMENT, count * slots->stride_bytes);
	if (!slots->ring || !slots->memory) {
		uring_slots_destroy(slots);
		return -ENOMEM;
	}
	slots->first = (unsigned char *)slots->memory + align;
	registration.ring_addr = (uintptr_t)slots->ring;
	error = io_uring_register_buf_ring(ring, &registration, 0);
	if (error) {
		uring_slots_destroy(slots);
		return error;
	}
	io_uring_buf_ring_init(slots->ring);
	for (unsigned int i = 0; i < count; i++)
		uring_slot_return(slots, i);
	return 0;
}

void uring_slots_destroy(struct uring_slots *slots)
{
	if (slots->ring)
		munmap(slots->ring, slots->ring_bytes);
	free(slots->memory);
	slots->ring = NULL;
	slots->memory = NULL;
}

unsigned char *uring_slot(const struct uring_slots *slots, unsigned int index)
{
	return slots->first + index * slots->stride_bytes;
}

void uring_slot_return(struct uring_slots *slots, unsigned int index)
{
	io_uring_buf_ring_add(slots->ring, uring_slot(slots, index),
			      (unsigned int)slots->slot_bytes, (unsigned short)index,
			      io_uring_buf_ring_mask(slots->count), 0);
	io_uring_buf_ring_advance(slots->ring, 1);
}
