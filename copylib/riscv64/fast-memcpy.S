/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fast, memcpy: this project's own, for rv64gc. It never makes a misaligned access, and reads nothing but
 * aligned words that hold a byte of the source.
 *
 * Below 16 bytes, half words where both buffers allow them, else bytes. From there on the
 * destination is aligned first. If the source is aligned with it, words follow in blocks of 16, and
 * what is left by a jump into a row of loads and stores. Else each word is merged from two of the
 * source: eight a turn, then four, two, one; if the buffers are 4 past each other, half words need
 * no merging. The last bytes are pieces of one word. Bytes, words and pieces that need no loop are
 * rows of code, so that a jump by the count does away with counting. The order in the long loops
 * was searched for with llvm-mca 19 and an in-order core, sifive-u74.
 *
 * No byte of the source is loaded after one at or behind it was stored to, so a destination that lies
 * before the source may overlap it: memmove is this routine, but where the destination begins inside
 * the source (fast-memmove.S).
 *
 * Zbb has nothing to offer here. With a rotation in place of the two shifts, a merged word takes a
 * load, the rotation, xor, and, xor and a store: one more than now.
 *
 *   a0  destination, as returned	a3  destination, advanced	t1  end of the source
 *   a1  source, advanced		t0  scratch			t2, t3  shifts to the right and left
 *   a2  bytes that are left		t4  where a loop ends		a4 - a7, t5, t6  words
 */

/* Nothing that is done here may fault. */
.macro try label, instruction:vararg
	\instruction
.endm

.macro finish
	ret
.endm

#include "copylib/riscv64/fast.h"

	/* The rows are found by counting bytes of code: no relaxing, and nothing compressed in them. */
	.option	norelax

	function fast_memcpy
.Lmemcpy:
	sltiu	t0, left, 16
	bnez	t0, .Lsmall
	xor	t0, src, a0
	andi	t0, t0, WORD - 1
	bnez	t0, .Lapart

	/* -- source and destination equally far past a word -------------------------------- */
	andi	t0, a0, WORD - 1
	mv	dst, a0
	beqz	t0, .Laligned
	align_by_pieces .Laligned
.Laligned:
	copy_aligned

	/* -- not equally far ---------------------------------------------------------------- */
.Lapart:
	addi	t5, t0, -4
	andi	t0, a0, WORD - 1
	beqz	t5, .Lhalves
	beqz	t0, .Lapart_aligned
	addi	t0, t0, -WORD
	addi	t5, t0, 1
	beqz	t5, .Lsingle_byte
	sub	src, src, t0
	sub	dst, a0, t0
	add	left, left, t0
	align_by_bytes
	begin_merging
.Lfrom_32:
	sltiu	t0, left, 64
	bnez	t0, .Lfours
	andi	stop, left, -64
	add	stop, stop, dst
.Lmerge_8:
	/*
	 * 43 instructions for 8 words, 5.38 a word; the order is one of an in-order core. Cycles a word
	 * by llvm-mca 19: sifive-u74 3.50, sifive-p450 1.79.
	 */
	ld	a5, 8(src)
	srl	a4, a4, right
	sll	a6, a5, back
	ld	a7, 16(src)
	srl	t0, a5, right
	sll	t1, a7, back
	ld	t5, 24(src)
	ld	t6, 40(src)
	srl	a5, a7, right
	or	a4, a4, a6
	srl	a7, t5, right
	or	a6, t0, t1
	ld	t0, 32(src)
	sll	t1, t5, back
	sll	t5, t0, back
	or	a5, a5, t1
	or	t1, a7, t5
	sd	t1, 24(dst)
	sd	a5, 16(dst)
	sd	a6, 8(dst)
	sd	a4, 0(dst)
	sll	a7, t6, back
	srl	t5, t0, right
	ld	t1, 48(src)
	sll	a5, t1, back
	ld	a4, 64(src)
	or	a6, t5, a7
	ld	t0, 56(src)
	sll	t5, a4, back
	srl	a7, t6, right
	sll	t6, t0, back
	or	a7, a7, a5
	srl	a5, t1, right
	srl	t1, t0, right
	or	t0, t1, t5
	or	t1, a5, t6
	sd	a6, 32(dst)
	sd	a7, 40(dst)
	sd	t1, 48(dst)
	sd	t0, 56(dst)
	addi	src, src, 64
	addi	dst, dst, 64
	bltu	dst, stop, .Lmerge_8
	srai	end, right, 3 /* where the source was */
	add	end, end, left
	andi	t0, left, 32
	beqz	t0, .Lpairs
	merge_rest

.Lapart_aligned:
	mv	dst, a0
	begin_merging
	j	.Lfrom_32
.Lsingle_byte:
	lb	a4, 0(src)
	addi	src, src, 1
	sb	a4, 0(a0)
	addi	dst, a0, 1
	addi	left, left, -1
	begin_merging
	j	.Lfrom_32

	/* -- 4 past each other -------------------------------------------------------------- */
.Lhalves:
	mv	dst, a0
	beqz	t0, .Lhalves_aligned
	align_by_pieces .Lhalves_aligned
.Lhalves_aligned:
	andi	stop, left, -64
	beqz	stop, .Lbelow_64
	add	stop, stop, dst
	ld	a4, -4(src)
.Lhalf_16:
	/*
	 * 35 instructions for 8 words, 4.38 a word: the upper half of each word, then the lower one of
	 * the next. Cycles a word: sifive-u74 3.75, sifive-p450 2.01.
	 */
	ld	a5, 20(src)
	srli	a6, a4, 32
	ld	a4, 28(src)
	ld	a7, 4(src)
	srli	t0, a7, 32
	ld	t1, 44(src)
	ld	t5, 12(src)
	srli	t6, a5, 32
	sw	a7, 4(dst)
	sw	t0, 8(dst)
	sw	t6, 24(dst)
	sw	a4, 28(dst)
	sw	t5, 12(dst)
	sw	a5, 20(dst)
	srli	a7, a4, 32
	ld	t0, 36(src)
	sw	t1, 44(dst)
	srli	t6, t5, 32
	ld	a4, 52(src)
	srli	a5, t0, 32
	sw	a4, 52(dst)
	srli	t5, a4, 32
	srli	t1, t1, 32
	ld	a4, 60(src)
	sw	t6, 16(dst)
	sw	t0, 36(dst)
	sw	t5, 56(dst)
	sw	a6, 0(dst)
	sw	t1, 48(dst)
	sw	a4, 60(dst)
	sw	a5, 40(dst)
	sw	a7, 32(dst)
	addi	src, src, 64
	addi	dst, dst, 64
	bltu	dst, stop, .Lhalf_16
	andi	left, left, 63
.Lbelow_64:
	copy_halves

	/* -- below 16 ----------------------------------------------------------------------- */
.Lsmall:
	sltiu	t0, left, 4
	bnez	t0, .Lsmallest
	mv	dst, a0
	copy_small
.Lsmallest:
	beqz	left, .Lnothing
	lb	a4, 0(src)
	addi	left, left, -1
	sb	a4, 0(a0)
	beqz	left, .Lnothing
	lb	a4, 1(src)
	addi	left, left, -1
	sb	a4, 1(a0)
	beqz	left, .Lnothing
	lb	a4, 2(src)
	sb	a4, 2(a0)
.Lnothing:
	ret
	end_function fast_memcpy

	function fast_memmove
	sub	t0, a0, src
	bgeu	t0, left, .Lmemcpy
	tail	fast_memmove_backward
	end_function fast_memmove
