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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copylib/copylib.h"
#include "harness/sim/rv64.h"

struct judge;
struct rv64_image;

#define JUDGE_SIZE_MAX	    ((size_t)1 << 20)
#define JUDGE_ALIGN_MAX	    4096 /* offsets are below it */
#define JUDGE_PROBLEM_BYTES 256
#define JUDGE_NO_FAULT	    SIZE_MAX

struct judge_call {
	enum copy_function function;
	uint64_t entry;		/* of the routine, in the image */
	size_t bytes;		/* 0 .. JUDGE_SIZE_MAX */
	unsigned int dst_align; /* address modulo JUDGE_ALIGN_MAX */
	unsigned int src_align;
	int value; /* memset */
	/* memmove: the buffers overlap, and the destination lies so far behind the source, or, if
	 * negative, before it; then src_align says where both lie. Else 0: they are apart. */
	ptrdiff_t distance;
	/* User copies: the position from which on memory cannot be read, or written; or
	 * JUDGE_NO_FAULT. Such a byte begins a page, so it decides the alignment of its buffer. */
	size_t src_fault;
	size_t dst_fault;
};

struct judge_verdict {
	bool right;
	char problem[JUDGE_PROBLEM_BYTES]; /* what is wrong */
	struct rv64_counts counts;
	uint64_t edge_bytes; /* read beside the buffers, inside their words */
	/* User copies that faulted: */
	size_t late_bytes;   /* returned more than what could not be copied, by so many bytes */
	size_t beyond_bytes; /* so many were written although they are said not to be copied */
	bool no_progress;    /* nothing is said to be copied, though something could have been */
};

/** image: stays the caller's, and stays. vlenb: bytes of a vector register, 0: no V. NULL: no
 * memory. */
struct judge *judge_create(const struct rv64_image *image, unsigned int vlenb);
void judge_destroy(struct judge *judge);

/** Calls a routine. Instructions are limited by what a byte loop could need, a hundredfold. */
void judge_run(struct judge *judge, const struct judge_call *call, struct judge_verdict *verdict);

#endif
