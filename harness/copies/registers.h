/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A call of a routine on this machine that tells whether the routine kept the registers which the
 * calling convention says it must keep, and, where the CPU can tell, its misaligned accesses.
 */
#ifndef HARNESS_COPIES_REGISTERS_H
#define HARNESS_COPIES_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

struct registers_call {
	uintptr_t routine;
	uintptr_t arguments[3];
	uintptr_t returned;
	uintptr_t changed;	/* not 0: registers that the routine should have restored */
	uintptr_t traps_access; /* in: misaligned accesses raise SIGBUS; x86-64 alone */
};

void registers_call(struct registers_call *call);

/** Can misaligned accesses be made to raise SIGBUS here? */
bool registers_can_trap(void);

/**
 * First thing in a handler of SIGBUS: no more traps in it. And if the signal was such a trap: none
 * in what was interrupted, which then goes on, and true.
 */
bool registers_was_trap(int signal_code, void *context);

#endif
