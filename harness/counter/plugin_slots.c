/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Slots: open addressing in a table twice as large as there are slots. */
#include "harness/counter/plugin_slots.h"

#define PLACES (2u * SLOTS)

static uint32_t slot_at[PLACES]; /* 0: free */
static uint64_t addresses[SLOTS];
static size_t used = SLOT_LOST + 1;
static size_t lost;

static size_t place_of(uint64_t address)
{
	/* Instructions lie 2 or 4 apart; the multiplier is 2^64 over the golden ratio. */
	return (size_t)((address >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 43) % PLACES;
}

size_t slots_find(uint64_t address)
{
	size_t place = place_of(address);

	while (slot_at[place]) {
		if (addresses[slot_at[place]] == address)
			return slot_at[place];
		place = (place + 1) % PLACES;
	}
	if (used == SLOTS) {
		lost++;
		return SLOT_LOST;
	}
	addresses[used] = address;
	slot_at[place] = (uint32_t)used;
	return used++;
}

size_t slots_used(void)
{
	return used;
}

uint64_t slots_address(size_t slot)
{
	return addresses[slot];
}

size_t slots_lost(void)
{
	return lost;
}
