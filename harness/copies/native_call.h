/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A call of a routine on this machine, between pages that nobody may touch; in a child of native.c.
 */
#ifndef HARNESS_COPIES_NATIVE_CALL_H
#define HARNESS_COPIES_NATIVE_CALL_H

#include "copylib/copylib.h"
#include "harness/sim/verdict.h"

struct native_memory;

/** What is being done, for whoever has to say where it ended. */
struct native_now {
	struct judge_call call;
	uintptr_t dst, src;
	uintptr_t fault_address; /* of a crash; 0: none, or not known */
};

/** The function as an address; 0: the variant has none here. */
uintptr_t native_routine(const struct copy_variant *variant, enum copy_function function);

/**
 * Makes the memory, and takes SIGSEGV and SIGBUS: a crash is noted in now and then ends the
 * process. Once a process. NULL: why[0 .. why_bytes) says why not.
 */
struct native_memory *native_memory_create(struct native_now *now, char *why, size_t why_bytes);

/** Calls, in both places, and says what was wrong with it. now is filled in before. */
void native_call(struct native_memory *memory, const struct copy_variant *variant,
		 const struct judge_call *call, struct native_now *now,
		 struct judge_verdict *verdict);

#endif
