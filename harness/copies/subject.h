/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Subjects of `harness copy`: variants with the code that the judge runs for them.
 */
#ifndef HARNESS_COPIES_SUBJECT_H
#define HARNESS_COPIES_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "copylib/copylib.h"
#include "harness/sim/image.h"

#define SUBJECT_FUNCTIONS 5 /* in the order of their bits in enum copy_function */

struct subject {
	const struct copy_variant *variant;
	const struct rv64_image *image; /* NULL: the judge has no code of it */
	/* In the image; 0 where it has no such function there. */
	uint64_t entry[SUBJECT_FUNCTIONS];
	size_t code_bytes[SUBJECT_FUNCTIONS];
};

/** "memcpy" for index 0, and so on. */
const char *subject_function_name(size_t index);
/** The index for such a name; SUBJECT_FUNCTIONS: there is none. */
size_t subject_function_index(const char *name);

/** Finds the variant's functions in an image, as copylib names them. False: it has none there. */
bool subject_find(struct subject *subject, const struct copy_variant *variant,
		  const struct rv64_image *image);

/** In what a routine is not as it was published, in words; NULL: in nothing. */
const char *subject_departure(const struct copy_variant *variant);

/** Does any of them have the function? */
bool subject_any_has(const struct subject *subjects, size_t count, size_t function);

#endif
