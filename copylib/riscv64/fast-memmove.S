/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fast, memmove: fast's memcpy where the buffers do not overlap. Where they do, away from the
 * overlap: bytes until the destination is aligned, then 8 words a turn, or 4 that are merged, each
 * group loaded before any of it is stored; single words, bytes.
 *
 *   a0  destination, as returned	a3  destination, advanced or drawn back
 *   a1  source, likewise		t0  scratch
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

/*
 * Both pointers are where the next bytes are: at their start if SIGN is 1, at their end if it is -1.
 * WORD_AT is the offset of the first word from there, BYTE_AT that of the first byte.
 */
.macro move_overlapping sign, word_at, byte_at
	sltiu	t0, left, 16
	bnez	t0, .Lbytes\@
	andi	t0, dst, WORD - 1
	beqz	t0, .Laligned\@
.Lhead\@:
	lb	a4, \byte_at(src)
	addi	src, src, \sign
	sb	a4, \byte_at(dst)
	addi	dst, dst, \sign
	addi	left, left, -1
	andi	t0, dst, WORD - 1
	bnez	t0, .Lhead\@
.Laligned\@:
	andi	past, src, WORD - 1
	bnez	past, .Lapart\@

	addi	left, left, -64
	bltz	left, .Lblocks_done\@
.Lblock\@:
	ld	a4, \word_at(src)
	ld	a5, (\word_at + 8 * \sign)(src)
	ld	a6, (\word_at + 16 * \sign)(src)
	ld	a7, (\word_at + 24 * \sign)(src)
	ld	t0, (\word_at + 32 * \sign)(src)
	ld	t4, (\word_at + 40 * \sign)(src)
	ld	t5, (\word_at + 48 * \sign)(src)
	ld	t6, (\word_at + 56 * \sign)(src)
	addi	src, src, 64 * \sign
	sd	a4, \word_at(dst)
	sd	a5, (\word_at + 8 * \sign)(dst)
	sd	a6, (\word_at + 16 * \sign)(dst)
	sd	a7, (\word_at + 24 * \sign)(dst)
	sd	t0, (\word_at + 32 * \sign)(dst)
	sd	t4, (\word_at + 40 * \sign)(dst)
	sd	t5, (\word_at + 48 * \sign)(dst)
	sd	t6, (\word_at + 56 * \sign)(dst)
	addi	dst, dst, 64 * \sign
	addi	left, left, -64
	bgez	left, .Lblock\@
.Lblocks_done\@:
	addi	left, left, 64 - WORD
	bltz	left, .Lwords_done\@
.Lword\@:
	ld	a4, \word_at(src)
	addi	src, src, WORD * \sign
	sd	a4, \word_at(dst)
	addi	dst, dst, WORD * \sign
	addi	left, left, -WORD
	bgez	left, .Lword\@
.Lwords_done\@:
	addi	left, left, WORD
	j	.Lbytes\@

.Lapart\@:
	sub	src, src, past
	slli	right, past, 3
	neg	back, right
	ld	a4, 0(src)
	addi	left, left, -32
	bltz	left, .Lmerges_done\@
.Lmerge\@:
	ld	a5, (8 * \sign)(src)
	ld	a6, (16 * \sign)(src)
	ld	a7, (24 * \sign)(src)
	ld	t6, (32 * \sign)(src)
	addi	src, src, 32 * \sign
	merge	\sign, a4, a5, t0
	merge	\sign, a5, a6, t4
	merge	\sign, a6, a7, t5
	sd	a4, \word_at(dst)
	mv	a4, t6
	merge	\sign, a7, t6, t0
	sd	a5, (\word_at + 8 * \sign)(dst)
	sd	a6, (\word_at + 16 * \sign)(dst)
	sd	a7, (\word_at + 24 * \sign)(dst)
	addi	dst, dst, 32 * \sign
	addi	left, left, -32
	bgez	left, .Lmerge\@
.Lmerges_done\@:
	addi	left, left, 32 - WORD
	bltz	left, .Lsingles_done\@
.Lsingle\@:
	ld	a5, (8 * \sign)(src)
	addi	src, src, WORD * \sign
	merge	\sign, a4, a5, t0
	sd	a4, \word_at(dst)
	mv	a4, a5
	addi	dst, dst, WORD * \sign
	addi	left, left, -WORD
	bgez	left, .Lsingle\@
.Lsingles_done\@:
	addi	left, left, WORD
	add	src, src, past

.Lbytes\@:
	beqz	left, .Lreturn\@
.Lbyte\@:
	lb	a4, \byte_at(src)
	addi	src, src, \sign
	sb	a4, \byte_at(dst)
	addi	dst, dst, \sign
	addi	left, left, -1
	bnez	left, .Lbyte\@
.Lreturn\@:
	ret
.endm

/* Of a word and the next one in the direction: the word of the destination, in the first of them. */
.macro merge sign, word, next, part
.if \sign > 0
	srl	\word, \word, right
	sll	\part, \next, back
.else
	sll	\word, \word, back
	srl	\part, \next, right
.endif
	or	\word, \word, \part
.endm

	function fast_memmove
	sub	t0, a0, src
	bltu	t0, left, .Lbackward
	neg	t0, t0
	bltu	t0, left, .Lforward
	tail	fast_memcpy
.Lforward:
	mv	dst, a0
	move_overlapping 1, 0, 0
.Lbackward:
	add	src, src, left
	add	dst, a0, left
	move_overlapping -1, -8, -1
	end_function fast_memmove
