/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The judge of copy routines: calls one in the interpreter, in memory where every byte is marked,
 * and says what it did and whether that was right.
 *
 * What is allowed: to read the bytes of the source and, where it is a destination that is read, of
 * the destination, and the rest of each aligned 8-byte word that holds one of them (no page begins
 * inside such a word); to write the bytes of the destination and the stack. So a byte that is read
 * or written outside is found in the middle of a page too, and one that is written and restored.
 */
#ifndef HARNESS_SIM_JUDGE_H
#define HARNESS_SIM_JUDGE_H

#include "harness/sim/verdict.h"

struct judge;
struct rv64_image;

#define JUDGE_SIZE_MAX (((size_t)4 << 20) + 64)

/** image: stays the caller's, and stays. vlenb: bytes of a vector register, 0: no V. NULL: no
 * memory. */
struct judge *judge_create(const struct rv64_image *image, unsigned int vlenb);
void judge_destroy(struct judge *judge);

/**
 * Calls a routine. Instructions are limited by what a byte loop could need, a hundredfold.
 *
 * More than JUDGE_SIZE_MAX bytes have no room here; yet a routine that takes such a size for a
 * smaller one gives itself away. Then both buffers fault somewhere, src_fault and dst_fault say
 * where, and what has to happen is that fault: a user copy returns the rest, others do not return.
 */
void judge_run(struct judge *judge, const struct judge_call *call, struct judge_verdict *verdict);

#endif
