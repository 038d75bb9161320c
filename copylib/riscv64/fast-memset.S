/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fast, memset: bytes below 16. From there on the destination is aligned by a byte, a half word and
 * a word, as far as each is needed; then, by a jump into a row of stores, what is below 16 words, or
 * what does not fill a turn of 64, and these turns; then pieces of a word.
 *
 *   a0  destination, as returned	a3  destination, advanced	t0, t5  scratch
 *   a1  value, replicated		a2  bytes that are left		t4  where the loop ends
 */
#include "copylib/riscv64/rows.h"

#define value	a1
#define left	a2
#define dst	a3
#define stop	t4

	.option	norelax

	function fast_memset
	sltiu	t0, left, 16
	mv	dst, a0
	bnez	t0, .Lsmall
	andi	value, value, 0xff
	slli	t0, value, 8
	or	value, value, t0
	slli	t0, value, 16
	or	value, value, t0
	slli	t0, value, 32
	or	value, value, t0
	andi	t0, dst, WORD - 1
	beqz	t0, .Laligned
	slli	t5, t0, 5
	jump_after .Lheads - 32, t5
	.option	push
	.option	norvc
.Lheads:
	/* 7 */
	sb	value, 0(dst)
	sh	value, 1(dst)
	sw	value, 3(dst)
	addi	dst, dst, 7
	addi	left, left, -7
	j	.Laligned
	.zero	8
	/* 6 */
	sh	value, 0(dst)
	sw	value, 2(dst)
	addi	dst, dst, 6
	addi	left, left, -6
	j	.Laligned
	.zero	12
	/* 5 */
	sb	value, 0(dst)
	sw	value, 1(dst)
	addi	dst, dst, 5
	addi	left, left, -5
	j	.Laligned
	.zero	12
	/* 4 */
	sw	value, 0(dst)
	addi	dst, dst, 4
	addi	left, left, -4
	j	.Laligned
	.zero	16
	/* 3 */
	sb	value, 0(dst)
	sh	value, 1(dst)
	addi	dst, dst, 3
	addi	left, left, -3
	j	.Laligned
	.zero	12
	/* 2 */
	sh	value, 0(dst)
	addi	dst, dst, 2
	addi	left, left, -2
	j	.Laligned
	.zero	16
	/* 1 */
	sb	value, 0(dst)
	addi	dst, dst, 1
	addi	left, left, -1
	.option	pop
.Laligned:
	sltiu	t0, left, 128
	beqz	t0, .Lmany
	andi	t5, left, -WORD
	add	dst, dst, t5
	srli	t5, t5, 1
	andi	left, left, WORD - 1
	jump_before .Lwords_end, t5
	.option	push
	.option	norvc
.irp offset, 120, 112, 104, 96, 88, 80, 72, 64, 56, 48, 40, 32, 24, 16, 8
	sd	value, -\offset(dst)
.endr
.Lwords_end:
	beqz	left, .Lreturn
	slli	t5, left, 4
	jump_before .Lpieces_end, t5
	/* 7 */
	sw	value, 0(dst)
	sh	value, 4(dst)
	sb	value, 6(dst)
	ret
	/* 6 */
	sw	value, 0(dst)
	sh	value, 4(dst)
	ret
	.zero	4
	/* 5 */
	sw	value, 0(dst)
	sb	value, 4(dst)
	ret
	.zero	4
	/* 4 */
	sw	value, 0(dst)
	ret
	.zero	8
	/* 3 */
	sh	value, 0(dst)
	sb	value, 2(dst)
	ret
	.zero	4
	/* 2 */
	sh	value, 0(dst)
	ret
	.zero	8
	/* 1 */
	sb	value, 0(dst)
	ret
	.zero	8
.Lpieces_end:
	.option	pop

.Lmany:
	/*
	 * The first turn begins where what does not fill a turn is done by its end, from one word on;
	 * the pointer is one word before the end of a turn, stop one word before that of the words.
	 */
	addi	t5, left, -WORD
	add	stop, dst, t5
	andi	t5, t5, 504
	add	dst, dst, t5
	srli	t5, t5, 1
	andi	left, left, WORD - 1
	jump_before .Lturn_end - 4, t5
	.option	push
	.option	norvc
.Lturn:
	/* 66 instructions for 64 words */
.irp back, 448, 384, 320, 256, 192, 128, 64, 0
.irp offset, 56, 48, 40, 32, 24, 16, 8, 0
	sd	value, -(\back + \offset)(dst)
.endr
.endr
.Lturn_end:
	.option	pop
	addi	dst, dst, 512
	bgeu	stop, dst, .Lturn
	bnez	left, .Lmany_pieces
	ret
.Lmany_pieces:
	addi	dst, dst, WORD - 512
	slli	t5, left, 4
	jump_before .Lpieces_end, t5

.Lsmall:
	slli	t5, left, 2
	add	dst, dst, left
	jump_before .Lreturn, t5
	.option	push
	.option	norvc
.irp offset, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
	sb	value, -\offset(dst)
.endr
	.option	pop
.Lreturn:
	ret
	end_function fast_memset
