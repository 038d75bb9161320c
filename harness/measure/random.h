/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Random: a small generator of our own, so that a seed gives the same order on every machine and
 * C library. Not for secrets.
 */
#ifndef HARNESS_MEASURE_RANDOM_H
#define HARNESS_MEASURE_RANDOM_H

#include <stdint.h>

/** Seeds are whole numbers that every JSON reader holds exactly. */
#define RANDOM_SEED_MAX ((UINT64_C(1) << 53) - 1)

struct random {
	uint64_t state;
};

/** Starts the sequence that belongs to a seed; every seed is good. */
void random_start(struct random *random, uint64_t seed);

/** The next 64 bits. Source: splitmix64, Steele, Lea and Flood 2014, with the usual constants. */
uint64_t random_next(struct random *random);

/** The next number of 0 .. bound - 1, each as likely as another; bound > 0. */
uint64_t random_below(struct random *random, uint64_t bound);

#endif
