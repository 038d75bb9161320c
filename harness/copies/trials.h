/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Every size, alignment, distance and fault that a function is tried with, whoever runs it: the
 * judge (judged.h) or this machine (native.h); and what came out of all of them.
 */
#ifndef HARNESS_COPIES_TRIALS_H
#define HARNESS_COPIES_TRIALS_H

#include "harness/sim/verdict.h"

/* Of a size that 32 bits cannot hold, memory is there up to about here only. */
#define TRIALS_HUGE_BYTES ((((size_t)1) << 32) + 40)
#define TRIALS_HUGE_ROOM  8192

struct trials_result {
	uint64_t calls;
	uint64_t wrong;
	uint64_t not_made;		   /* calls that there was no memory for */
	bool stopped;			   /* by the runner, before all were tried */
	struct judge_call first_wrong;	   /* the case, */
	char problem[JUDGE_PROBLEM_BYTES]; /* and what was wrong with it */
	uint64_t misaligned;		   /* accesses, as far as they can be told */
	uint64_t edge_bytes;		   /* read beside the buffers, inside their words */
	/* User copies, of the calls that faulted: */
	uint64_t faults;
	uint64_t exact;
	size_t late_bytes;   /* the most */
	size_t beyond_bytes; /* the most */
	uint64_t no_progress;
};

/** How much is tried. */
struct trials_range {
	size_t every_size_to;	/* all sizes from 0 to this one */
	size_t fault_size_to;	/* likewise, for user copies that fault everywhere */
	size_t overlap_size_to; /* likewise, at every distance */
	size_t all_aligned_to;	/* larger sizes in some of the 64 alignments only */
	size_t largest;		/* about powers of two up to this one */
	bool beyond_4_gib;	/* and one of 33 bits, in earnest; the judge cannot */
};
extern const struct trials_range trials_quick, trials_full;

/** Who runs a call. */
struct trials_runner {
	void (*run)(void *context, const struct judge_call *call, struct judge_verdict *verdict);
	void (*progress)(void *context, double part); /* 0 .. 1; NULL: nobody wants to know */
	bool (*stops)(void);			      /* asked before each call; NULL: never */
	void *context;
};

/** Tries a function; stops at the tenth call that is wrong. entry: see judge_call. */
void trials_run(const struct trials_runner *runner, enum copy_function function, uint64_t entry,
		const struct trials_range *range, struct trials_result *result);

/** The case as options of `harness copy verify`, which repeat it. */
void trials_print_case(const struct judge_call *call, char *text, size_t text_bytes);

#endif
