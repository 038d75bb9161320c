/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is counted, and in which of three spaces an instruction can be.
 */
#ifndef HARNESS_COUNTER_PLUGIN_NUMBERS_H
#define HARNESS_COUNTER_PLUGIN_NUMBERS_H

#include <stdint.h>

enum numbers {
	INSTRUCTIONS,
	LOADS,
	STORES,
	MISALIGNED_2,
	MISALIGNED_4,
	MISALIGNED_8,
	MISALIGNED_MORE,
	CROSSINGS, /* of pages, by misaligned accesses */
	NUMBERS,
};

enum space { FIRMWARE, USER, KERNEL, SPACES };

#endif
