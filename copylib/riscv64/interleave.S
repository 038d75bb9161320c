/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * interleave: if source and destination lie equally far past a word boundary, two words a turn by
 * two registers, where each word is loaded before the one before it is stored, so that an in-order
 * core need not wait for a load. Else bytes.
 *
 *   a0  destination, as returned		a3  destination, advanced
 *   a1  source, advanced			a4  where the last pair of words begins, in the destination
 *   a2  where the destination ends		a5, a6  words
 */
#include "copylib/riscv64/routine.h"

#define src		a1
#define end		a2
#define dst		a3
#define stop		a4
#define first		a5
#define second		a6

	function interleave_memcpy
	mv	dst, a0
	sltiu	t0, a2, 32
	add	end, a0, a2
	bnez	t0, .Lbytes
	xor	t0, src, dst
	andi	t0, t0, WORD - 1
	bnez	t0, .Lbytes
	andi	t0, dst, WORD - 1
	beqz	t0, .Laligned
.Lhead:
	lb	t0, 0(src)
	addi	src, src, 1
	sb	t0, 0(dst)
	addi	dst, dst, 1
	andi	t0, dst, WORD - 1
	bnez	t0, .Lhead
.Laligned:
	/* A turn also loads the word after its pair: that one must lie in the source. */
	addi	stop, end, -3 * WORD + 1
	ld	first, 0(src)
.Lpair:
	/* 7 instructions for 2 words: 3.5 a word */
	ld	second, WORD(src)
	sd	first, 0(dst)
	ld	first, 2 * WORD(src)
	addi	src, src, 2 * WORD
	sd	second, WORD(dst)
	addi	dst, dst, 2 * WORD
	bltu	dst, stop, .Lpair
	sd	first, 0(dst)
	addi	src, src, WORD
	addi	dst, dst, WORD
.Lbytes:
	bgeu	dst, end, .Lreturn
.Lbyte:
	lb	t0, 0(src)
	addi	src, src, 1
	sb	t0, 0(dst)
	addi	dst, dst, 1
	bltu	dst, end, .Lbyte
.Lreturn:
	ret
	end_function interleave_memcpy
