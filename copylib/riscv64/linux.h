/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The two parts of mainline's memcpy.S (to 2026) that linux and linux-shift have in common. The
 * registers are:
 *
 *   a0  destination, as returned		a3  end of what the loop copies, in the source
 *   a1  source, advanced			a4  a word, or a count
 *   a2  bytes that are left			a5  word
 *   t6  destination, advanced			a6, a7, t0 - t5  words
 */
#ifndef COPYLIB_RISCV64_LINUX_H
#define COPYLIB_RISCV64_LINUX_H

#include "copylib/riscv64/routine.h"

#define src		a1
#define left		a2
#define end		a3
#define dst		t6

/* Both addresses equally far past a word, at least 128 bytes: bytes to a word, blocks, the rest. */
.macro linux_blocks tail
	andi	a4, src, WORD - 1
	beqz	a4, .Lblocks\@
	andi	end, src, -WORD
	addi	end, end, WORD
	sub	a4, end, src
	sub	left, left, a4
.Lhead\@:
	lb	a5, 0(src)
	addi	src, src, 1
	sb	a5, 0(dst)
	addi	dst, dst, 1
	bltu	src, end, .Lhead\@
.Lblocks\@:
	andi	a4, left, -128
	beqz	a4, \tail
	add	end, src, a4
.Lblock\@:
	/* 35 instructions for 16 words: 2.19 a word */
	ld	a4, 0(src)
	ld	a5, 8(src)
	ld	a6, 16(src)
	ld	a7, 24(src)
	ld	t0, 32(src)
	ld	t1, 40(src)
	ld	t2, 48(src)
	ld	t3, 56(src)
	ld	t4, 64(src)
	ld	t5, 72(src)
	sd	a4, 0(dst)
	sd	a5, 8(dst)
	sd	a6, 16(dst)
	sd	a7, 24(dst)
	sd	t0, 32(dst)
	sd	t1, 40(dst)
	sd	t2, 48(dst)
	sd	t3, 56(dst)
	sd	t4, 64(dst)
	sd	t5, 72(dst)
	ld	a4, 80(src)
	ld	a5, 88(src)
	ld	a6, 96(src)
	ld	a7, 104(src)
	ld	t0, 112(src)
	ld	t1, 120(src)
	addi	src, src, 128
	sd	a4, 80(dst)
	sd	a5, 88(dst)
	sd	a6, 96(dst)
	sd	a7, 104(dst)
	sd	t0, 112(dst)
	sd	t1, 120(dst)
	addi	dst, dst, 128
	bltu	src, end, .Lblock\@
	andi	left, left, 127
.endm

/* Words of 4 bytes if both addresses and the end allow it, else bytes; returns. */
.macro linux_tail
	beqz	left, .Lreturn\@
	add	end, src, left
	or	a4, src, dst
	or	a4, a4, end
	andi	a4, a4, 3
	bnez	a4, .Lbyte\@
.Lhalf\@:
	lw	a4, 0(src)
	addi	src, src, 4
	sw	a4, 0(dst)
	addi	dst, dst, 4
	bltu	src, end, .Lhalf\@
	ret
.Lbyte\@:
	lb	a4, 0(src)
	addi	src, src, 1
	sb	a4, 0(dst)
	addi	dst, dst, 1
	bltu	src, end, .Lbyte\@
.Lreturn\@:
	ret
.endm

#endif
