/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * linux-shift: as linux if source and destination lie equally far past a word boundary; else the
 * destination is aligned, and each of its words is merged from two of the source by shifts. The
 * alignment is looked at before the size.
 */
#include "copylib/riscv64/linux.h"

#define current		a5
#define next		a6
#define out		a7
#define part		t0
#define right		t1
#define back		t2 /* how far the left part is shifted */
#define past		t3
#define stop		t4

	function linux_shift_memcpy
	mv	dst, a0
	xor	a4, src, dst
	andi	a4, a4, WORD - 1
	bnez	a4, .Lapart
	sltiu	a4, left, 128
	bnez	a4, .Ltail
	linux_blocks .Ltail
	j	.Ltail

.Lapart:
	sltiu	a4, left, 16
	bnez	a4, .Ltail
	neg	a4, dst
	andi	a4, a4, WORD - 1
	beqz	a4, .Laligned
	sub	left, left, a4
.Lhead:
	lb	a5, 0(src)
	addi	src, src, 1
	sb	a5, 0(dst)
	addi	dst, dst, 1
	addi	a4, a4, -1
	bnez	a4, .Lhead
.Laligned:
	andi	past, src, WORD - 1
	slli	right, past, 3
	li	back, 64
	sub	back, back, right
	sub	src, src, past
	andi	stop, left, -WORD
	add	stop, stop, dst
	ld	current, 0(src)
.Lmerge:
	/* 9 instructions a word; an in-order core waits at the move for what was loaded just now */
	ld	next, WORD(src)
	srl	out, current, right
	mv	current, next
	addi	src, src, WORD
	addi	dst, dst, WORD
	sll	part, current, back
	or	out, out, part
	sd	out, -WORD(dst)
	bne	dst, stop, .Lmerge
	add	src, src, past
	andi	left, left, WORD - 1
.Ltail:
	linux_tail
	end_function linux_shift_memcpy
