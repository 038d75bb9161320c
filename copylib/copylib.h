/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * copylib: the copy routines that are compared, looked up by name.
 *
 * A variant is one file and one row of variants.def. Nothing here allocates, and every pointer
 * that is handed out lives as long as the program.
 */
#ifndef COPYLIB_H
#define COPYLIB_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** memcpy: n bytes from src to dst, which do not overlap. Returns dst. */
typedef void *copy_memcpy_fn(void *dst, const void *src, size_t n);
/** memmove: as memcpy, and the buffers may overlap. Returns dst. */
typedef void *copy_memmove_fn(void *dst, const void *src, size_t n);
/** memset: n bytes of dst become the low 8 bits of value. Returns dst. */
typedef void *copy_memset_fn(void *dst, int value, size_t n);

/** What a variant needs of the CPU, as a set of bits; 0: nothing beyond the base architecture. */
enum copy_need {
	COPY_NEED_NOTHING = 0,
};

struct copy_variant {
	const char *name;	  /* as typed: "linux-shift" */
	const char *credit;	  /* who, as the literature names them; "-": nobody in particular */
	unsigned int year;	  /* of publication; 0: none */
	const char *summary;	  /* one line */
	unsigned int needs;	  /* set of enum copy_need */
	copy_memcpy_fn *memcpy;	  /* NULL: the original had none */
	copy_memmove_fn *memmove; /* likewise */
	copy_memset_fn *memset;	  /* likewise */
};

/** Number of variants that are built into this program; their indices are 0 .. count - 1. */
size_t copy_variant_count(void);

/** The variant at an index, in the order of variants.def; NULL beyond the last. */
const struct copy_variant *copy_variant_at(size_t index);

/** The variant of that name; NULL: there is none. */
const struct copy_variant *copy_variant_find(const char *name);

/** True if this CPU has what the variant needs. */
bool copy_variant_runs_here(const struct copy_variant *variant);

#ifdef __cplusplus
}
#endif

#endif
