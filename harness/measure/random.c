/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Random: splitmix64, a counter whose bits are mixed. */
#include "harness/measure/random.h"

void random_start(struct random *random, uint64_t seed)
{
	random->state = seed;
}

uint64_t random_next(struct random *random)
{
	uint64_t mixed;

	random->state += UINT64_C(0x9e3779b97f4a7c15);
	mixed = random->state;
	mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ (mixed >> 31);
}

/* Numbers from the incomplete last stretch of the 64-bit range would be favoured: drawn again. */
uint64_t random_below(struct random *random, uint64_t bound)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
	uint64_t drawn;

	do
		drawn = random_next(random);
	while (drawn >= limit);
	return drawn % bound;
}
