/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Slots: a number for each address of an instruction of the kernel, given when it is first met. The
 * caller sees to it that only one thread is in here.
 */
#ifndef HARNESS_COUNTER_PLUGIN_SLOTS_H
#define HARNESS_COUNTER_PLUGIN_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#define SLOTS (1u << 20)

/* Numbers that are no address's. */
#define SLOT_USER     0
#define SLOT_FIRMWARE 1
#define SLOT_LOST     2 /* where all go that have no slot any more */
#define SLOT_FIRST    2 /* of the kernel */

/** The slot of an address, which is not 0. */
size_t slots_find(uint64_t address);

/** Slots from 0 on that have been given; addresses of those; how many addresses had to go without.
 */
size_t slots_used(void);
uint64_t slots_address(size_t slot);
size_t slots_lost(void);

#endif
