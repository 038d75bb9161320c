/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * duff: mainline's memset for riscv. Words by 32 stores a turn, into which the first turn jumps so
 * far that what is left is a whole number of turns.
 *
 *   a0  destination, as returned	a3  destination, advanced	a5  bytes that the first turn skips
 *   a1  value, replicated		a4  end of the whole words	a6, a7  scratch
 *   a2  end of the destination
 */
#include "copylib/riscv64/routine.h"

#define value		a1
#define end		a2
#define dst		a3
#define stop		a4
#define skip		a5

#define TURN_BYTES	256

	function duff_memset
	mv	dst, a0
	sltiu	a6, a2, 16
	add	end, a0, a2
	bnez	a6, .Lbytes
	andi	a6, dst, WORD - 1
	beqz	a6, .Laligned
.Lhead:
	sb	value, 0(dst)
	addi	dst, dst, 1
	andi	a6, dst, WORD - 1
	bnez	a6, .Lhead
.Laligned:
	andi	value, value, 0xff
	slli	a6, value, 8
	or	value, value, a6
	slli	a6, value, 16
	or	value, value, a6
	slli	a6, value, 32
	or	value, value, a6

	sub	a6, end, dst
	andi	a6, a6, -WORD
	add	stop, dst, a6
	andi	a6, a6, TURN_BYTES - 1
	beqz	a6, .Lturn
	/* The first turn begins before the destination; each store of 8 bytes is 4 bytes long. */
	neg	skip, a6
	addi	skip, skip, TURN_BYTES
	sub	dst, dst, skip
	srli	skip, skip, 1
	la	a6, .Lturn
	add	a6, a6, skip
	jr	a6
	.option	push
	.option	norvc
	.balign	4
.Lturn:
	/* 34 instructions for 32 words */
.irp base, 0, 64, 128, 192
.irp offset, 0, 8, 16, 24, 32, 40, 48, 56
	sd	value, (\base + \offset)(dst)
.endr
.endr
	.option	pop
	addi	dst, dst, TURN_BYTES
	bltu	dst, stop, .Lturn
.Lbytes:
	bgeu	dst, end, .Lreturn
.Lbyte:
	sb	value, 0(dst)
	addi	dst, dst, 1
	bltu	dst, end, .Lbyte
.Lreturn:
	ret
	end_function duff_memset
