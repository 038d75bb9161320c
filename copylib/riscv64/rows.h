/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Jumps into rows of code, by a count of bytes. Between the jump and the label nothing may move, so
 * a file that uses them turns relaxing off, and compressed code inside the rows.
 */
#ifndef COPYLIB_RISCV64_ROWS_H
#define COPYLIB_RISCV64_ROWS_H

#include "copylib/riscv64/routine.h"

/* Goes so many bytes before a label; how far that is from here is known when this is assembled. */
.macro jump_before label, bytes
.Lhere\@:
	auipc	t0, %pcrel_hi(\label)
	sub	t0, t0, \bytes
	jr	%pcrel_lo(.Lhere\@)(t0)
.endm

/* The same, of a negative number of bytes. */
.macro jump_after label, bytes
.Lhere\@:
	auipc	a4, %pcrel_hi(\label)
	add	a4, a4, \bytes
	jr	%pcrel_lo(.Lhere\@)(a4)
.endm

#endif
