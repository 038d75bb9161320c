/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Verification of a routine by the judge: every size, alignment, distance and fault that a routine
 * is tried with, and what came out of all of them.
 */
#ifndef HARNESS_COPIES_JUDGED_H
#define HARNESS_COPIES_JUDGED_H

#include "harness/copies/subject.h"
#include "harness/sim/judge.h"

struct judged {
	uint64_t calls;
	uint64_t wrong;
	struct judge_call first_wrong;	   /* the case, */
	char problem[JUDGE_PROBLEM_BYTES]; /* and what was wrong with it */
	uint64_t misaligned;		   /* accesses */
	uint64_t edge_bytes;		   /* read beside the buffers, inside their words */
	/* User copies, of the calls that faulted: */
	uint64_t faults;
	uint64_t exact;
	size_t late_bytes;   /* the most */
	size_t beyond_bytes; /* the most */
	uint64_t no_progress;
};

/** How much is tried. */
struct judged_range {
	size_t every_size_to;	/* all sizes from 0 to this one */
	size_t fault_size_to;	/* likewise, for user copies that fault everywhere */
	size_t overlap_size_to; /* likewise, at every distance */
	void (*progress)(void *context, double part); /* NULL: nobody wants to know; part 0 .. 1 */
	void *context;
};
extern const struct judged_range judged_quick, judged_full;

/** Tries one function of a subject; stops at the tenth call that is wrong. */
void judged_function(struct judge *judge, const struct subject *subject, size_t function,
		     const struct judged_range *range, struct judged *result);

/** The case as options of `harness copy verify`, which repeat it. */
void judged_print_case(const struct judge_call *call, char *text, size_t text_bytes);

#endif
