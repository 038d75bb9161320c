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
/**
 * User copy: as memcpy, and either buffer may be memory that cannot be read or written. Returns how
 * many bytes were not copied, after copy_faults_catch(); without it a fault ends the program.
 */
typedef size_t copy_usercopy_fn(void *dst, const void *src, size_t n);

/** Clearing: as a user copy, of zeroes. Returns how many bytes were not cleared. */
typedef size_t copy_clearuser_fn(void *dst, size_t n);

/** The functions that a variant can have, as a set of bits. */
enum copy_function {
	COPY_MEMCPY = 1,
	COPY_MEMMOVE = 2,
	COPY_MEMSET = 4,
	COPY_USERCOPY = 8,
	COPY_CLEARUSER = 16,
};

/** The architectures that a variant is written for, as a set of bits. */
enum copy_architecture {
	COPY_RISCV64 = 1,
	COPY_X86_64 = 2,
	COPY_PORTABLE = ~0,
};

/** What a variant needs of the CPU, as a set of bits; 0: nothing beyond the base architecture. */
enum copy_need {
	COPY_NEED_NOTHING = 0,
	COPY_NEED_FAST_MISALIGNED = 1, /* misaligned loads and stores, done by the CPU, not slow */
	COPY_NEED_V = 2,	       /* riscv64: the vector extension, allowed to this process */
	COPY_NEED_ZBB = 4,	       /* riscv64: basic bit manipulation */
	COPY_NEED_AVX2 = 8,	       /* x86-64, with the operating system's support */
};

/** The functions below are NULL where the variant has none, or not on this architecture. */
struct copy_variant {
	const char *name;	/* as typed: "linux-shift" */
	const char *credit;	/* who, as the literature names them; "-": nobody in particular */
	unsigned int year;	/* of publication; 0: none */
	const char *summary;	/* one line */
	unsigned int functions; /* set of enum copy_function: what the original has */
	unsigned int architectures; /* set of enum copy_architecture */
	unsigned int needs;	    /* set of enum copy_need */
	copy_memcpy_fn *memcpy;
	copy_memmove_fn *memmove;
	copy_memset_fn *memset;
	copy_usercopy_fn *usercopy;
	copy_clearuser_fn *clearuser;
};

/** Number of variants that are built into this program; their indices are 0 .. count - 1. */
size_t copy_variant_count(void);

/** The variant at an index, in the order of variants.def; NULL beyond the last. */
const struct copy_variant *copy_variant_at(size_t index);

/** The variant of that name; NULL: there is none. */
const struct copy_variant *copy_variant_find(const char *name);

/** True if this machine has what the variant needs; only then may its functions be called. */
bool copy_variant_runs_here(const struct copy_variant *variant);

/** What of its needs is missing here, as words for a message; NULL: nothing, it runs. */
const char *copy_variant_missing(const struct copy_variant *variant);

/** A single need in words ("the V extension"); NULL: 0. */
const char *copy_need_name(unsigned int need);

/** What this CPU has of the things that a variant may need: set of enum copy_need. */
unsigned int copy_needs_met(void);

/** The emulator that this program runs in: "qemu-user", "QEMU"; NULL: none that is known here. */
const char *copy_emulator(void);

/**
 * Whether misaligned accesses count as fast: by default as the kernel says, and inside an emulator,
 * whose kernel always says so, never. Before anything else here is called.
 */
enum copy_misaligned {
	COPY_MISALIGNED_PROBE,
	COPY_MISALIGNED_FAST,
	COPY_MISALIGNED_SLOW,
};
void copy_set_misaligned(enum copy_misaligned misaligned);

#ifdef __cplusplus
}
#endif

#endif
