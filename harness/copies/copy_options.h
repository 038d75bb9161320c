/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command line of `harness copy`. */
#ifndef HARNESS_COPIES_COPY_OPTIONS_H
#define HARNESS_COPIES_COPY_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/copies/subject.h"
#include "harness/sim/judge.h"

#define COPY_SIZES_MAX 64

struct copy_options {
	const struct copy_variant **variants; /* owned: those that were named, or all */
	size_t variant_count;
	bool names_all; /* none was named */
	bool quick;
	bool only_judge; /* verify: */
	bool only_here;
	bool in_system;		/* count: in QEMU too */
	const char *json;	/* a file; "-": standard output; NULL: none */
	unsigned int vlen_bits; /* of the judge's vector registers */
	size_t function;	/* index; SUBJECT_FUNCTIONS: all */
	size_t sizes[COPY_SIZES_MAX];
	size_t size_count;
	char *again; /* owned: options that a command needs which repeats a case; NULL: none */
	const char *part_of_case; /* an option that means nothing without a size; NULL: none */
	bool is_one_case;	  /* size and alignments were given: one call of the judge */
	struct judge_call call;
};

enum copy_options_outcome {
	COPY_OPTIONS_GOOD,
	COPY_OPTIONS_DONE, /* help was printed */
	COPY_OPTIONS_WRONG,
};

/** argv[0] is the name of the subcommand: list, verify, count. */
enum copy_options_outcome copy_options_read(struct copy_options *options, int argc, char **argv);
void copy_options_free(struct copy_options *options);

#endif
