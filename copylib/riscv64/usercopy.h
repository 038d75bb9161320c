/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the user copies have in common. Each returns how many bytes were not copied; a fault in any
 * load or store goes on at .Lfault, which says how far the destination is from its end: all that
 * was stored since the destination was last advanced counts as not copied.
 *
 *   a0  destination, advanced		a3  end of the destination
 *   a1  source, advanced		a4  where a loop ends, in the destination
 *   a2  bytes that are left		a5 - a7, t0 - t6  words and scratch
 */
#ifndef COPYLIB_RISCV64_USERCOPY_H
#define COPYLIB_RISCV64_USERCOPY_H

#include "copylib/riscv64/routine.h"

#define dst		a0
#define src		a1
#define left		a2
#define end		a3
#define stop		a4

/* Bytes while the destination is below a limit; not if it is there already. */
.macro usercopy_bytes limit
	bgeu	dst, \limit, .Lbytes_done\@
.Lbyte\@:
	may_fault .Lfault, lb	a5, 0(src)
	addi	src, src, 1
	may_fault .Lfault, sb	a5, 0(dst)
	addi	dst, dst, 1
	bltu	dst, \limit, .Lbyte\@
.Lbytes_done\@:
.endm

/* Bytes until the destination is aligned. */
.macro usercopy_head
	addi	stop, dst, WORD - 1
	andi	stop, stop, -WORD
	usercopy_bytes stop
.endm

/* Both aligned: 8 words a turn while a block remains. 19 instructions for 8 words. */
.macro usercopy_blocks
	sub	a5, end, dst
	andi	a5, a5, -8 * WORD
	add	stop, dst, a5
	bgeu	dst, stop, .Lblocks_done\@
.Lblock\@:
	may_fault .Lfault, ld	a5, 0(src)
	may_fault .Lfault, ld	a6, 8(src)
	may_fault .Lfault, ld	a7, 16(src)
	may_fault .Lfault, ld	t0, 24(src)
	may_fault .Lfault, ld	t1, 32(src)
	may_fault .Lfault, ld	t2, 40(src)
	may_fault .Lfault, ld	t3, 48(src)
	may_fault .Lfault, ld	t4, 56(src)
	addi	src, src, 8 * WORD
	may_fault .Lfault, sd	a5, 0(dst)
	may_fault .Lfault, sd	a6, 8(dst)
	may_fault .Lfault, sd	a7, 16(dst)
	may_fault .Lfault, sd	t0, 24(dst)
	may_fault .Lfault, sd	t1, 32(dst)
	may_fault .Lfault, sd	t2, 40(dst)
	may_fault .Lfault, sd	t3, 48(dst)
	may_fault .Lfault, sd	t4, 56(dst)
	addi	dst, dst, 8 * WORD
	bltu	dst, stop, .Lblock\@
.Lblocks_done\@:
.endm

/* Destination aligned, source not: 8 instructions a word. */
.macro usercopy_merge
	andi	t0, src, WORD - 1
	sub	src, src, t0
	slli	t1, t0, 3
	neg	t2, t1
	andi	stop, end, -WORD
	bgeu	dst, stop, .Lmerge_done\@
	may_fault .Lfault, ld	a5, 0(src)
.Lmerge\@:
	srl	a6, a5, t1
	may_fault .Lfault, ld	a5, WORD(src)
	addi	src, src, WORD
	sll	a7, a5, t2
	or	a6, a6, a7
	may_fault .Lfault, sd	a6, 0(dst)
	addi	dst, dst, WORD
	bltu	dst, stop, .Lmerge\@
.Lmerge_done\@:
	add	src, src, t0
.endm

/* The end of each routine. */
.macro usercopy_return
	li	a0, 0
	ret
.Lfault:
	sub	a0, end, dst
	ret
.endm

/* usercopy-shift from here on; usercopy-rvv goes on with it after a fault. */
.macro usercopy_shift_body
	add	end, dst, left
	sltiu	a5, left, 9 * WORD - 1
	bnez	a5, .Ltail
	usercopy_head
	andi	a5, src, WORD - 1
	bnez	a5, .Lapart
	usercopy_blocks
	j	.Ltail
.Lapart:
	usercopy_merge
.Ltail:
	usercopy_bytes end
	usercopy_return
.endm

#endif
