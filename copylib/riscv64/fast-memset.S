/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fast, memset: bytes below 16. From there on the destination is aligned by a byte, a half word and
 * a word, as far as each is needed; then 16 words a turn, and what is left by a jump into a row of
 * stores; then pieces of a word.
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
	jump_before .Lheads + 7 * 32, t5
	.option	push
	.option	norvc
.Lheads:
	/* 1 */
	sb	value, 0(dst)
	addi	dst, dst, 1
	addi	left, left, -1
	j	.Laligned
	.zero	16
	/* 2 */
	sh	value, 0(dst)
	addi	dst, dst, 2
	addi	left, left, -2
	j	.Laligned
	.zero	16
	/* 3 */
	sb	value, 0(dst)
	sh	value, 1(dst)
	addi	dst, dst, 3
	addi	left, left, -3
	j	.Laligned
	.zero	12
	/* 4 */
	sw	value, 0(dst)
	addi	dst, dst, 4
	addi	left, left, -4
	j	.Laligned
	.zero	16
	/* 5 */
	sb	value, 0(dst)
	sw	value, 1(dst)
	addi	dst, dst, 5
	addi	left, left, -5
	j	.Laligned
	.zero	12
	/* 6 */
	sh	value, 0(dst)
	sw	value, 2(dst)
	addi	dst, dst, 6
	addi	left, left, -6
	j	.Laligned
	.zero	12
	/* 7 */
	sb	value, 0(dst)
	sh	value, 1(dst)
	sw	value, 3(dst)
	addi	dst, dst, 7
	addi	left, left, -7
	.option	pop
.Laligned:
	andi	stop, left, -128
	beqz	stop, .Lwords
	add	stop, stop, dst
.Lblock:
	/* 18 instructions for 16 words */
.irp offset, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120
	sd	value, \offset(dst)
.endr
	addi	dst, dst, 128
	bltu	dst, stop, .Lblock
	andi	left, left, 127
.Lwords:
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
