/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fast, user copy: the ways of its memcpy, and the contract kept exactly. All stores of a group go up
 * in the order of their addresses, and it is known where the group began; so a fault in it goes on
 * from there byte by byte, up to the one that faults again. What that copies once more has been
 * copied already.
 *
 *   a0  end of the destination; the others as in fast.h
 */

.macro try label, instruction:vararg
	may_fault \label, \instruction
.endm

.macro finish
	li	a0, 0
	ret
.endm

#include "copylib/riscv64/fast.h"

	.option	norelax

	function fast_usercopy
	mv	dst, a0
	add	a0, a0, left
	add	end, src, left
	sltiu	t0, left, 16
	bnez	t0, .Lsmall
	xor	t0, src, dst
	andi	t0, t0, WORD - 1
	bnez	t0, .Lapart

	andi	t0, dst, WORD - 1
	beqz	t0, .Laligned
	align_by_pieces .Laligned
.Laligned:
	copy_aligned

.Lapart:
	addi	t5, t0, -4
	andi	t0, dst, WORD - 1
	beqz	t5, .Lhalves
	beqz	t0, .Lapart_aligned
	addi	t0, t0, -WORD
	sub	src, src, t0
	sub	dst, dst, t0
	add	left, left, t0
	align_by_bytes
.Lapart_aligned:
	begin_merging
	sltiu	t0, left, 64
	bnez	t0, .Lfours
	andi	stop, left, -64
	add	stop, stop, dst
.Lmerge_8:
	/*
	 * 43 instructions for 8 words, 5.38 a word. Cycles a word by llvm-mca 19: sifive-u74 4.00,
	 * sifive-p450 1.80; memcpy's order, whose stores are not in that of their addresses, takes 3.50.
	 */
	try .Lrecover, ld a5, 8(src)
	try .Lrecover, ld a6, 16(src)
	try .Lrecover, ld a7, 24(src)
	try .Lrecover, ld t6, 32(src)
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
	try .Lrecover, sd a4, 0(dst)
	try .Lrecover, sd a5, 8(dst)
	try .Lrecover, sd a6, 16(dst)
	try .Lrecover, sd a7, 24(dst)
	try .Lrecover, ld a5, 40(src)
	try .Lrecover, ld a6, 48(src)
	try .Lrecover, ld a7, 56(src)
	try .Lrecover, ld a4, 64(src)
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
	try .Lrecover, sd t6, 32(dst)
	try .Lrecover, sd a5, 40(dst)
	try .Lrecover, sd a6, 48(dst)
	try .Lrecover, sd a7, 56(dst)
	addi	src, src, 64
	addi	dst, dst, 64
	bltu	dst, stop, .Lmerge_8
	andi	t0, left, 32
	beqz	t0, .Lpairs
	merge_rest

	/* -- 4 past each other -------------------------------------------------------------- */
.Lhalves:
	beqz	t0, .Lhalves_aligned
	align_by_pieces .Lhalves_aligned
.Lhalves_aligned:
	andi	stop, left, -64
	beqz	stop, .Lbelow_64
	add	stop, stop, dst
	try .Lrecover, ld a4, -4(src)
.Lhalf_16:
	/*
	 * 35 instructions for 8 words, 4.38 a word. Cycles a word: sifive-u74 4.25, sifive-p450 2.01; no
	 * order was found that takes fewer while the stores stay in theirs.
	 */
	try .Lrecover, ld a5, 4(src)
	try .Lrecover, ld a6, 12(src)
	try .Lrecover, ld a7, 20(src)
	srli	a4, a4, 32
	try .Lrecover, ld t6, 28(src)
	try .Lrecover, sw a4, 0(dst)
	try .Lrecover, sw a5, 4(dst)
	srli	a5, a5, 32
	try .Lrecover, sw a5, 8(dst)
	try .Lrecover, sw a6, 12(dst)
	srli	a6, a6, 32
	try .Lrecover, sw a6, 16(dst)
	try .Lrecover, sw a7, 20(dst)
	srli	a7, a7, 32
	try .Lrecover, sw a7, 24(dst)
	try .Lrecover, sw t6, 28(dst)
	try .Lrecover, ld a5, 36(src)
	try .Lrecover, ld a6, 44(src)
	try .Lrecover, ld a7, 52(src)
	srli	t6, t6, 32
	try .Lrecover, ld a4, 60(src)
	try .Lrecover, sw t6, 32(dst)
	try .Lrecover, sw a5, 36(dst)
	srli	a5, a5, 32
	try .Lrecover, sw a5, 40(dst)
	try .Lrecover, sw a6, 44(dst)
	srli	a6, a6, 32
	try .Lrecover, sw a6, 48(dst)
	try .Lrecover, sw a7, 52(dst)
	srli	a7, a7, 32
	try .Lrecover, sw a7, 56(dst)
	try .Lrecover, sw a4, 60(dst)
	addi	src, src, 64
	addi	dst, dst, 64
	bltu	dst, stop, .Lhalf_16
	andi	left, left, 63
.Lbelow_64:
	copy_halves

.Lsmall:
	sltiu	t0, left, 4
	bnez	t0, .Lcareful
	copy_small

	/* -- after a fault ------------------------------------------------------------------ */
.Lrecover_words:
	sub	dst, dst, t5
	j	.Lrecover
.Lrecover_head:
	add	dst, dst, t0
	j	.Lrecover
.Lrecover_halves:
	sub	dst, dst, t6
	j	.Lrecover
.Lrecover_bytes:
	sub	dst, dst, left
.Lrecover:
	sub	t0, a0, dst
	sub	src, end, t0
.Lcareful:
	bgeu	dst, a0, .Ldone
.Lbyte:
	may_fault .Lfault, lb	a4, 0(src)
	addi	src, src, 1
	may_fault .Lfault, sb	a4, 0(dst)
	addi	dst, dst, 1
	bltu	dst, a0, .Lbyte
.Ldone:
	finish
.Lfault:
	sub	a0, a0, dst
	ret
	end_function fast_usercopy
