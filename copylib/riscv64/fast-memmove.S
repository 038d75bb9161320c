/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fast, memmove where the destination begins inside the source, so that only backwards is right:
 * bytes until the end of the destination is aligned, then 8 words a turn, or 4 that are merged, each
 * group loaded before any of it is stored; single words, bytes. The rest is in fast-memcpy.S.
 *
 *   a0  destination, as returned	a3  end of the destination, drawn back
 *   a1  end of the source, likewise	t0  scratch
 *   a2  bytes that are left		t1 - t3  past, shift to the right, to the left
 *   a4 - a7, t4 - t6			words
 */
#include "copylib/riscv64/routine.h"

#define src	a1
#define left	a2
#define dst	a3
#define past	t1
#define right	t2
#define back	t3

/* Of a word and the one before it: the word of the destination, in the first of them. */
.macro merge word, previous, part
	sll	\word, \word, back
	srl	\part, \previous, right
	or	\word, \word, \part
.endm

	.hidden	fast_memmove_backward
	function fast_memmove_backward
	add	src, src, left
	add	dst, a0, left
	sltiu	t0, left, 16
	bnez	t0, .Lbytes
	andi	t0, dst, WORD - 1
	beqz	t0, .Laligned
.Lhead:
	lb	a4, -1(src)
	addi	src, src, -1
	sb	a4, -1(dst)
	addi	dst, dst, -1
	addi	left, left, -1
	andi	t0, dst, WORD - 1
	bnez	t0, .Lhead
.Laligned:
	andi	past, src, WORD - 1
	bnez	past, .Lapart

	addi	left, left, -64
	bltz	left, .Lblocks_done
.Lblock:
	ld	a4, -8(src)
	ld	a5, -16(src)
	ld	a6, -24(src)
	ld	a7, -32(src)
	ld	t0, -40(src)
	ld	t4, -48(src)
	ld	t5, -56(src)
	ld	t6, -64(src)
	addi	src, src, -64
	sd	a4, -8(dst)
	sd	a5, -16(dst)
	sd	a6, -24(dst)
	sd	a7, -32(dst)
	sd	t0, -40(dst)
	sd	t4, -48(dst)
	sd	t5, -56(dst)
	sd	t6, -64(dst)
	addi	dst, dst, -64
	addi	left, left, -64
	bgez	left, .Lblock
.Lblocks_done:
	addi	left, left, 64 - WORD
	bltz	left, .Lwords_done
.Lword:
	ld	a4, -8(src)
	addi	src, src, -WORD
	sd	a4, -8(dst)
	addi	dst, dst, -WORD
	addi	left, left, -WORD
	bgez	left, .Lword
.Lwords_done:
	addi	left, left, WORD
	j	.Lbytes

.Lapart:
	sub	src, src, past
	slli	right, past, 3
	neg	back, right
	ld	a4, 0(src)
	addi	left, left, -32
	bltz	left, .Lmerges_done
.Lmerge:
	ld	a5, -8(src)
	ld	a6, -16(src)
	ld	a7, -24(src)
	ld	t6, -32(src)
	addi	src, src, -32
	merge	a4, a5, t0
	merge	a5, a6, t4
	merge	a6, a7, t5
	sd	a4, -8(dst)
	mv	a4, t6
	merge	a7, t6, t0
	sd	a5, -16(dst)
	sd	a6, -24(dst)
	sd	a7, -32(dst)
	addi	dst, dst, -32
	addi	left, left, -32
	bgez	left, .Lmerge
.Lmerges_done:
	addi	left, left, 32 - WORD
	bltz	left, .Lsingles_done
.Lsingle:
	ld	a5, -8(src)
	addi	src, src, -WORD
	merge	a4, a5, t0
	sd	a4, -8(dst)
	mv	a4, a5
	addi	dst, dst, -WORD
	addi	left, left, -WORD
	bgez	left, .Lsingle
.Lsingles_done:
	addi	left, left, WORD
	add	src, src, past

.Lbytes:
	beqz	left, .Lreturn
.Lbyte:
	lb	a4, -1(src)
	addi	src, src, -1
	sb	a4, -1(dst)
	addi	dst, dst, -1
	addi	left, left, -1
	bnez	left, .Lbyte
.Lreturn:
	ret
	end_function fast_memmove_backward
