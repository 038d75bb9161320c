/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Trials of a variant on this machine, or in the emulator that this program runs in: between pages
 * that nobody may touch, in a process of their own, so that a routine which crashes or never ends
 * spoils nothing else.
 *
 * A call that must not fault is made twice: with both buffers after the page before them, and
 * before the page behind them, as near as their alignment allows.
 */
#ifndef HARNESS_COPIES_NATIVE_H
#define HARNESS_COPIES_NATIVE_H

#include "harness/copies/subject.h"
#include "harness/copies/trials.h"

/** A call that takes longer is taken for endless, and a second more for each 16 MiB of it. */
#define NATIVE_ENDLESS_S 10
/** Another limit, for tests. */
void native_set_limit(unsigned int seconds);

/** "x86_64", "riscv64 under qemu-user": where this is. */
const char *native_place(void);

/** Does the variant have the function here, and may it be called? */
bool native_has(const struct copy_variant *variant, size_t function);

/** Tries a function with everything in the range. progress may be NULL. */
void native_function(const struct copy_variant *variant, size_t function,
		     const struct trials_range *range, void (*progress)(void *context, double part),
		     void *context, struct trials_result *result);

/** Makes a single call. */
void native_case(const struct copy_variant *variant, const struct judge_call *call,
		 struct judge_verdict *verdict);

#endif
