/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What memcpy and the user copy of fast have in common: everything but the long loops that merge. A
 * file that includes this says by two macros how it differs:
 *
 *   try LABEL, INSTRUCTION	an access, and where to go on if it faults
 *   finish			all is copied: returns, in at most two instructions
 *
 * At .Lrecover the destination is where it was when the group of accesses began that one of them
 * belongs to; all before it is copied, and nothing behind the fault. At .Lrecover_words,
 * .Lrecover_head, .Lrecover_bytes and .Lrecover_halves it is ahead of that by t5, by -t0, by left, and
 * by t6.
 *
 *   a1  source, advanced		t0  scratch			t2, t3  shifts to the right and left
 *   a2  bytes that are left		t4  where a loop ends		t1  end of the source
 *   a3  destination, advanced	a4 - a7, t5, t6  words
 */
#ifndef COPYLIB_RISCV64_FAST_H
#define COPYLIB_RISCV64_FAST_H

#include "copylib/riscv64/rows.h"

#define src	a1
#define left	a2
#define dst	a3
#define end	t1 /* the long merging loop of memcpy needs it too, and finds it again by right */
#define right	t2
#define back	t3
#define stop	t4

/* A row of loads and stores, from so many bytes before both pointers on. */
.macro copy_row fault, load, store, offsets:vararg
.irp offset, \offsets
	try \fault, \load a4, -\offset(src)
	try \fault, \store a4, -\offset(dst)
.endr
.endm

/*
 * Aligns the destination, t0 past a word, where the source is equally far past 4 bytes: a byte, a
 * half word and a word, as far as each is needed: 32 bytes of code for each case. Goes to NEXT,
 * which has to follow. A single byte is what others do best, so it comes last, and needs no jump.
 */
.macro align_by_pieces next
	slli	t5, t0, 5
	jump_after .Lheads\@ - 32, t5
	.option	push
	.option	norvc
.Lrest_of_7\@:
	addi	dst, dst, 7
	addi	left, left, -7
	j	\next
.Lheads\@:
	/* 7 */
	try .Lrecover, lb a4, 0(src)
	try .Lrecover, lh a5, 1(src)
	try .Lrecover, lw a6, 3(src)
	addi	src, src, 7
	try .Lrecover, sb a4, 0(dst)
	try .Lrecover, sh a5, 1(dst)
	try .Lrecover, sw a6, 3(dst)
	j	.Lrest_of_7\@
	/* 6 */
	try .Lrecover, lh a4, 0(src)
	try .Lrecover, lw a5, 2(src)
	addi	src, src, 6
	try .Lrecover, sh a4, 0(dst)
	try .Lrecover, sw a5, 2(dst)
	addi	dst, dst, 6
	addi	left, left, -6
	j	\next
	/* 5 */
	try .Lrecover, lb a4, 0(src)
	try .Lrecover, lw a5, 1(src)
	addi	src, src, 5
	try .Lrecover, sb a4, 0(dst)
	try .Lrecover, sw a5, 1(dst)
	addi	dst, dst, 5
	addi	left, left, -5
	j	\next
	/* 4 */
	try .Lrecover, lw a4, 0(src)
	addi	src, src, 4
	try .Lrecover, sw a4, 0(dst)
	addi	dst, dst, 4
	addi	left, left, -4
	j	\next
	.zero	8
	/* 3 */
	try .Lrecover, lb a4, 0(src)
	try .Lrecover, lh a5, 1(src)
	addi	src, src, 3
	try .Lrecover, sb a4, 0(dst)
	try .Lrecover, sh a5, 1(dst)
	addi	dst, dst, 3
	addi	left, left, -3
	j	\next
	/* 2 */
	try .Lrecover, lh a4, 0(src)
	addi	src, src, 2
	try .Lrecover, sh a4, 0(dst)
	addi	dst, dst, 2
	addi	left, left, -2
	j	\next
	.zero	8
	/* 1 */
	try .Lrecover, lb a4, 0(src)
	addi	src, src, 1
	try .Lrecover, sb a4, 0(dst)
	addi	dst, dst, 1
	addi	left, left, -1
	.option	pop
.endm

/* Aligns the destination, -t0 before a word: so many bytes. */
.macro align_by_bytes
	slli	t5, t0, 3
	jump_after .Lhead_row_end, t5
	.option	push
	.option	norvc
	copy_row .Lrecover_head, lb, sb, 7, 6, 5, 4, 3, 2, 1
.Lhead_row_end:
	.option	pop
.endm

/* The first bytes of a4, fewer than 8 and at least one, and the end: 32 bytes of code for each count. */
.macro pieces_of_word
	slli	t5, left, 5
	jump_before .Lpieces_end, t5
	.option	push
	.option	norvc
	.balign	32
	/* 7 */
	try .Lrecover, sw a4, 0(dst)
	srli	a4, a4, 32
	try .Lrecover, sh a4, 4(dst)
	srli	a4, a4, 16
	try .Lrecover, sb a4, 6(dst)
	finish
	.balign	32
	/* 6 */
	try .Lrecover, sw a4, 0(dst)
	srli	a4, a4, 32
	try .Lrecover, sh a4, 4(dst)
	finish
	.balign	32
	/* 5 */
	try .Lrecover, sw a4, 0(dst)
	srli	a4, a4, 32
	try .Lrecover, sb a4, 4(dst)
	finish
	.balign	32
	/* 4 */
	try .Lrecover, sw a4, 0(dst)
	finish
	.balign	32
	/* 3 */
	try .Lrecover, sh a4, 0(dst)
	srli	a4, a4, 16
	try .Lrecover, sb a4, 2(dst)
	finish
	.balign	32
	/* 2 */
	try .Lrecover, sh a4, 0(dst)
	finish
	.balign	32
	/* 1 */
	try .Lrecover, sb a4, 0(dst)
	finish
	.balign	32
.Lpieces_end:
	.option	pop
.endm

.macro eight_words operation, offset, pointer
	try .Lrecover, \operation a4, (\offset)(\pointer)
	try .Lrecover, \operation a5, (\offset + 8)(\pointer)
	try .Lrecover, \operation a6, (\offset + 16)(\pointer)
	try .Lrecover, \operation a7, (\offset + 24)(\pointer)
	try .Lrecover, \operation t0, (\offset + 32)(\pointer)
	try .Lrecover, \operation t2, (\offset + 40)(\pointer)
	try .Lrecover, \operation t3, (\offset + 48)(\pointer)
	try .Lrecover, \operation t5, (\offset + 56)(\pointer)
.endm

/* Both are aligned: blocks of 16 words, a row of words, pieces of one. */
.macro copy_aligned
	andi	t4, left, -128
	bnez	t4, .Lblocks
	andi	t5, left, -WORD
.Lwords:
	/*
	 * t5 bytes of words, at least one and at most 16, by a row of code that is entered by their
	 * number. Each word is loaded before the one before it is stored; the first one lies in both
	 * registers. Both pointers are at the end of the row from the start on.
	 */
	try .Lrecover, ld a4, 0(src)
	add	src, src, t5
	add	dst, dst, t5
	mv	a5, a4
	andi	left, left, WORD - 1
	jump_before .Lword_row_end + 4, t5
	.option	push
	.option	norvc
.irp at, 112, 96, 80, 64, 48, 32, 16
	try .Lrecover_words, ld a4, -\at(src)
	try .Lrecover_words, sd a5, -(\at + 8)(dst)
	try .Lrecover_words, ld a5, -(\at - 8)(src)
	try .Lrecover_words, sd a4, -\at(dst)
.endr
	try .Lrecover_words, sd a5, -8(dst)
	.option	pop
.Lword_row_end:
	bnez	left, .Lload_piece
.Lfinish:
	finish
.Lload_piece:
	try .Lrecover, ld a4, 0(src)
.Lpieces:
	pieces_of_word

.Lblocks:
	add	stop, t4, dst
.Lblock:
	/* 35 instructions for 16 words, 2.19 a word; cycles a word: sifive-u74 2.13, sifive-p450 1.00 */
	eight_words	ld, 0, src
	eight_words	sd, 0, dst
	eight_words	ld, 64, src
	addi	src, src, 128
	eight_words	sd, 64, dst
	addi	dst, dst, 128
	bltu	dst, stop, .Lblock
	andi	left, left, 127
	andi	t5, left, -WORD
	bnez	t5, .Lwords
	bnez	left, .Lload_piece
	finish
.endm

/*
 * The destination is aligned, the source is not: its first word, and the shifts. Only their low six
 * bits count, so an address will do. Goes on with what is below 32 bytes, or does not.
 */
.macro begin_merging
	slli	right, src, 3
	neg	back, right
	add	end, src, left
	andi	src, src, -WORD
	try .Lrecover, ld a4, 0(src)
	sltiu	t0, left, 32
	bnez	t0, .Lpairs
.endm

/* What is below 64 bytes, with the first word in a4: four words, two, one, pieces of one. */
.macro merge_rest
.Lfours:
	try .Lrecover, ld a5, 8(src)
	try .Lrecover, ld a6, 16(src)
	try .Lrecover, ld a7, 24(src)
	srl	t6, a4, right
	try .Lrecover, ld a4, 32(src)
	sll	t0, a5, back
	srl	a5, a5, right
	or	t6, t6, t0
	sll	t5, a6, back
	try .Lrecover, sd t6, 0(dst)
	or	a5, a5, t5
	srl	a6, a6, right
	try .Lrecover, sd a5, 8(dst)
	sll	t0, a7, back
	srl	a7, a7, right
	or	a6, a6, t0
	sll	t5, a4, back
	try .Lrecover, sd a6, 16(dst)
	or	a7, a7, t5
	addi	src, src, 32
	try .Lrecover, sd a7, 24(dst)
	addi	dst, dst, 32
.Lpairs:
	andi	t0, left, 16
	beqz	t0, .Lsingle
	try .Lrecover, ld a5, 8(src)
	srl	t6, a4, right
	try .Lrecover, ld a4, 16(src)
	sll	t0, a5, back
	srl	a5, a5, right
	or	t6, t6, t0
	sll	t5, a4, back
	try .Lrecover, sd t6, 0(dst)
	or	a5, a5, t5
	addi	src, src, 16
	try .Lrecover, sd a5, 8(dst)
	addi	dst, dst, 16
.Lsingle:
	andi	t0, left, 8
	beqz	t0, .Lapart_tail
	srl	t6, a4, right
	try .Lrecover, ld a4, 8(src)
	addi	src, src, 8
	sll	t0, a4, back
	or	t6, t6, t0
	try .Lrecover, sd t6, 0(dst)
	addi	dst, dst, 8

.Lapart_tail:
	andi	left, left, WORD - 1
	beqz	left, .Lfinish
	addi	t0, src, WORD
	srl	a4, a4, right
	bgeu	t0, end, .Lpieces
	try .Lrecover, ld t6, 8(src)
	sll	t6, t6, back
	or	a4, a4, t6
	j	.Lpieces
.endm

/* 4 past each other, below 64 bytes: a row of half words, pieces of one. */
.macro copy_halves
	andi	t6, left, -4
	slli	t5, t6, 1
	add	src, src, t6
	add	dst, dst, t6
	andi	left, left, 3
	jump_before .Lhalf_row_end, t5
	.option	push
	.option	norvc
	copy_row .Lrecover_halves, lw, sw, 60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4
	.option	pop
.Lhalf_row_end:
	bnez	left, .Lhalf_piece
	finish
.Lhalf_piece:
	try .Lrecover, lw a4, 0(src)
	j	.Lpieces
.endm

/* At least 4 bytes and below 16: half words where both buffers allow them, else bytes. */
.macro copy_small
	or	t0, src, dst
	andi	t0, t0, 3
	bnez	t0, .Lbytes
	andi	t0, left, 8
	beqz	t0, .Lsmall_4
	try .Lrecover, lw a4, 0(src)
	try .Lrecover, lw a5, 4(src)
	addi	src, src, 8
	try .Lrecover, sw a4, 0(dst)
	try .Lrecover, sw a5, 4(dst)
	addi	dst, dst, 8
.Lsmall_4:
	andi	t0, left, 4
	beqz	t0, .Lsmall_3
	try .Lrecover, lw a4, 0(src)
	addi	src, src, 4
	try .Lrecover, sw a4, 0(dst)
	addi	dst, dst, 4
.Lsmall_3:
	andi	left, left, 3
	beqz	left, .Lfinish
.Lbytes:
	slli	t5, left, 3
	add	src, src, left
	add	dst, dst, left
	jump_before .Lbyte_row_end, t5
	.option	push
	.option	norvc
	copy_row .Lrecover_bytes, lb, sb, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
	.option	pop
.Lbyte_row_end:
	finish
.endm

#endif
