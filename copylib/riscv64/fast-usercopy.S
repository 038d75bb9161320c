/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fast, user copy: keeps the contract exactly. The destination is aligned by bytes; then 16 words a
 * turn, or 8 that are merged; single words; bytes. The words of a group are stored in order, and both
 * pointers stay at its beginning until all are: so a fault in it goes on there byte by byte, up to
 * the one that faults again. What that copies once more has been copied already.
 *
 *   a0  destination, advanced		a3  end of the destination	t0, t5  scratch
 *   a1  source, advanced		t4  where a loop ends		t1  how far the source is past a word
 *   a2  bytes			a4 - a7, t6  words		t2, t3  shifts to the right and left
 */
#include "copylib/riscv64/routine.h"

#define dst	a0
#define src	a1
#define left	a2
#define end	a3
#define past	t1
#define right	t2
#define back	t3
#define stop	t4

	function fast_usercopy
	add	end, dst, left
	sltiu	t0, left, 16
	bnez	t0, .Lcareful
	andi	t0, dst, WORD - 1
	beqz	t0, .Laligned
.Lhead:
	may_fault .Lfault, lb	a4, 0(src)
	addi	src, src, 1
	may_fault .Lfault, sb	a4, 0(dst)
	addi	dst, dst, 1
	andi	t0, dst, WORD - 1
	bnez	t0, .Lhead
.Laligned:
	andi	past, src, WORD - 1
	bnez	past, .Lapart

	sub	t0, end, dst
	andi	stop, t0, -128
	add	stop, stop, dst
	beq	dst, stop, .Lwords
.Lblock:
	/* 35 instructions for 16 words */
	may_fault .Lcareful, ld	a4, 0(src)
	may_fault .Lcareful, ld	a5, 8(src)
	may_fault .Lcareful, ld	a6, 16(src)
	may_fault .Lcareful, ld	a7, 24(src)
	may_fault .Lcareful, ld	t0, 32(src)
	may_fault .Lcareful, ld	t1, 40(src)
	may_fault .Lcareful, ld	t2, 48(src)
	may_fault .Lcareful, ld	t3, 56(src)
	may_fault .Lcareful, sd	a4, 0(dst)
	may_fault .Lcareful, sd	a5, 8(dst)
	may_fault .Lcareful, sd	a6, 16(dst)
	may_fault .Lcareful, sd	a7, 24(dst)
	may_fault .Lcareful, sd	t0, 32(dst)
	may_fault .Lcareful, sd	t1, 40(dst)
	may_fault .Lcareful, sd	t2, 48(dst)
	may_fault .Lcareful, sd	t3, 56(dst)
	may_fault .Lcareful, ld	a4, 64(src)
	may_fault .Lcareful, ld	a5, 72(src)
	may_fault .Lcareful, ld	a6, 80(src)
	may_fault .Lcareful, ld	a7, 88(src)
	may_fault .Lcareful, ld	t0, 96(src)
	may_fault .Lcareful, ld	t1, 104(src)
	may_fault .Lcareful, ld	t2, 112(src)
	may_fault .Lcareful, ld	t3, 120(src)
	addi	src, src, 128
	may_fault .Lcareful_128, sd	a4, 64(dst)
	may_fault .Lcareful_128, sd	a5, 72(dst)
	may_fault .Lcareful_128, sd	a6, 80(dst)
	may_fault .Lcareful_128, sd	a7, 88(dst)
	may_fault .Lcareful_128, sd	t0, 96(dst)
	may_fault .Lcareful_128, sd	t1, 104(dst)
	may_fault .Lcareful_128, sd	t2, 112(dst)
	may_fault .Lcareful_128, sd	t3, 120(dst)
	addi	dst, dst, 128
	bltu	dst, stop, .Lblock
.Lwords:
	andi	stop, end, -WORD
	bgeu	dst, stop, .Lcareful
.Lword:
	may_fault .Lfault, ld	a4, 0(src)
	addi	src, src, WORD
	may_fault .Lfault, sd	a4, 0(dst)
	addi	dst, dst, WORD
	bltu	dst, stop, .Lword
	j	.Lcareful

.Lapart:
	sub	src, src, past
	slli	right, past, 3
	neg	back, right
	may_fault .Lcareful_apart, ld	a4, 0(src)
	sub	t0, end, dst
	andi	stop, t0, -64
	add	stop, stop, dst
	beq	dst, stop, .Lmerges
.Lmerge_8:
	/* 43 instructions for 8 words */
	may_fault .Lcareful_apart, ld	a5, 8(src)
	may_fault .Lcareful_apart, ld	a6, 16(src)
	may_fault .Lcareful_apart, ld	a7, 24(src)
	may_fault .Lcareful_apart, ld	t6, 32(src)
	srl	a4, a4, right
	sll	t0, a5, back
	srl	a5, a5, right
	sll	t5, a6, back
	or	a4, a4, t0
	or	a5, a5, t5
	srl	a6, a6, right
	sll	t0, a7, back
	srl	a7, a7, right
	sll	t5, t6, back
	or	a6, a6, t0
	or	a7, a7, t5
	may_fault .Lcareful_apart, sd	a4, 0(dst)
	may_fault .Lcareful_apart, sd	a5, 8(dst)
	may_fault .Lcareful_apart, sd	a6, 16(dst)
	may_fault .Lcareful_apart, sd	a7, 24(dst)
	may_fault .Lcareful_apart, ld	a5, 40(src)
	may_fault .Lcareful_apart, ld	a6, 48(src)
	may_fault .Lcareful_apart, ld	a7, 56(src)
	may_fault .Lcareful_apart, ld	a4, 64(src)
	srl	t6, t6, right
	sll	t0, a5, back
	srl	a5, a5, right
	sll	t5, a6, back
	or	t6, t6, t0
	or	a5, a5, t5
	srl	a6, a6, right
	sll	t0, a7, back
	srl	a7, a7, right
	sll	t5, a4, back
	or	a6, a6, t0
	or	a7, a7, t5
	may_fault .Lcareful_apart, sd	t6, 32(dst)
	may_fault .Lcareful_apart, sd	a5, 40(dst)
	may_fault .Lcareful_apart, sd	a6, 48(dst)
	may_fault .Lcareful_apart, sd	a7, 56(dst)
	addi	src, src, 64
	addi	dst, dst, 64
	bltu	dst, stop, .Lmerge_8
.Lmerges:
	andi	stop, end, -WORD
	bgeu	dst, stop, .Lcareful_apart
.Lmerge:
	srl	a5, a4, right
	may_fault .Lcareful_apart, ld	a4, WORD(src)
	sll	a6, a4, back
	or	a5, a5, a6
	may_fault .Lcareful_apart, sd	a5, 0(dst)
	addi	src, src, WORD
	addi	dst, dst, WORD
	bltu	dst, stop, .Lmerge
	j	.Lcareful_apart

	/* In the second half of a block the source has been advanced, the destination not yet. */
.Lcareful_128:
	addi	src, src, -128
	j	.Lcareful
.Lcareful_apart:
	add	src, src, past
.Lcareful:
	bgeu	dst, end, .Ldone
.Lbyte:
	may_fault .Lfault, lb	a4, 0(src)
	addi	src, src, 1
	may_fault .Lfault, sb	a4, 0(dst)
	addi	dst, dst, 1
	bltu	dst, end, .Lbyte
.Ldone:
	li	a0, 0
	ret
.Lfault:
	sub	a0, end, dst
	ret
	end_function fast_usercopy
