/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A call of a copy routine that is tried, and what to think of what came out: the same for the
 * interpreter (judge.h) and for the machine itself (harness/copies/native.h).
 */
#ifndef HARNESS_SIM_VERDICT_H
#define HARNESS_SIM_VERDICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copylib/copylib.h"
#include "harness/sim/rv64.h"

#define JUDGE_ALIGN_MAX	    4096 /* offsets are below it */
#define JUDGE_PROBLEM_BYTES 256
#define JUDGE_NO_FAULT	    SIZE_MAX

struct judge_call {
	enum copy_function function;
	uint64_t entry; /* of the routine, in the interpreter's image */
	size_t bytes;
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
	bool not_made; /* there was no memory for such a call: nothing is known */
	char problem[JUDGE_PROBLEM_BYTES]; /* what is wrong */
	struct rv64_counts counts;	   /* on a machine: only misaligned, as far as it tells */
	uint64_t edge_bytes; /* read beside the buffers, inside their words; interpreter alone */
	/* User copies that faulted: */
	size_t late_bytes;   /* returned more than what could not be copied, by so many bytes */
	size_t beyond_bytes; /* so many were written although they are said not to be copied */
	bool no_progress;    /* nothing is said to be copied, though something could have been */
};

/** The destination after the call, and what both held before it: all of `bytes` bytes. */
struct judge_memory {
	const unsigned char *dst;
	const unsigned char *dst_before;
	const unsigned char *src_before; /* memset and clearing: not looked at */
};

/** True for the functions that return how many bytes they left, and may fault. */
bool judge_may_fault(enum copy_function function);

/** How many bytes can be copied before a fault. */
size_t judge_possible_bytes(const struct judge_call *call);

/** Not right, for this reason; the first one counts. */
void judge_wrong(struct judge_verdict *verdict, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Looks at the bytes, and at what was returned: for user copies the residue, else how far the
 * returned pointer is from the destination.
 */
void judge_outcome(const struct judge_call *call, const struct judge_memory *memory,
		   uint64_t returned, struct judge_verdict *verdict);

/**
 * The same where memory ends long before the size does: a user copy returned this, or another
 * function returned at all.
 */
void judge_outcome_huge(const struct judge_call *call, uint64_t returned,
			struct judge_verdict *verdict);

/** Bytes without a period that a wrong distance could hide behind. */
void judge_make_noise(unsigned char *data, size_t bytes, uint64_t seed);

#endif
