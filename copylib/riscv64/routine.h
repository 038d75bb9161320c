/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What every routine for riscv64 begins with; and how an instruction that may fault names where to
 * go on then (see copylib/usercopy.h).
 */
#ifndef COPYLIB_RISCV64_ROUTINE_H
#define COPYLIB_RISCV64_ROUTINE_H

#include "copylib/function.h"

#define WORD 8

/*
 * may_fault LABEL, INSTRUCTION: a fault in it goes on at LABEL. Never a compressed one, since the
 * table holds where it begins, and no option may move that.
 */
.macro may_fault label, instruction:vararg
	.option	push
	.option	norvc
.Lfault\@:
	\instruction
	.option	pop
	.pushsection copylib_fixups, "a"
	.balign	4
	.4byte	.Lfault\@ - .
	.4byte	\label - .
	.popsection
.endm

#endif
