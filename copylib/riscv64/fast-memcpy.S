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
 *   a0  destination, as returned	a3  destination, advanced	t1  end of the source
 *   a1  source, advanced		t0  scratch			t2, t3  shifts to the right and left
 *   a2  bytes that are left		t4  where a loop ends		a4 - a7, t5, t6  words
 */
#include "copylib/riscv64/rows.h"

#define src	a1
#define left	a2
#define dst	a3
#define end	t1 /* the long merging loop needs the register too, and finds it again by right */
#define right	t2
#define back	t3
#define stop	t4

/* A row of loads and stores, from so many bytes before both pointers on. */
.macro copy_row load, store, offsets:vararg
.irp offset, \offsets
	\load	a4, -\offset(src)
	\store	a4, -\offset(dst)
.endr
.endm

.macro eight_words operation, offset, pointer
	\operation	a4, (\offset)(\pointer)
	\operation	a5, (\offset + 8)(\pointer)
	\operation	a6, (\offset + 16)(\pointer)
	\operation	a7, (\offset + 24)(\pointer)
	\operation	t0, (\offset + 32)(\pointer)
	\operation	t1, (\offset + 40)(\pointer)
	\operation	t2, (\offset + 48)(\pointer)
	\operation	t3, (\offset + 56)(\pointer)
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
	lb	a4, 0(src)
	lh	a5, 1(src)
	lw	a6, 3(src)
	addi	src, src, 7
	sb	a4, 0(dst)
	sh	a5, 1(dst)
	sw	a6, 3(dst)
	j	.Lrest_of_7\@
	/* 6 */
	lh	a4, 0(src)
	lw	a5, 2(src)
	addi	src, src, 6
	sh	a4, 0(dst)
	sw	a5, 2(dst)
	addi	dst, dst, 6
	addi	left, left, -6
	j	\next
	/* 5 */
	lb	a4, 0(src)
	lw	a5, 1(src)
	addi	src, src, 5
	sb	a4, 0(dst)
	sw	a5, 1(dst)
	addi	dst, dst, 5
	addi	left, left, -5
	j	\next
	/* 4 */
	lw	a4, 0(src)
	addi	src, src, 4
	sw	a4, 0(dst)
	addi	dst, dst, 4
	addi	left, left, -4
	j	\next
	.zero	8
	/* 3 */
	lb	a4, 0(src)
	lh	a5, 1(src)
	addi	src, src, 3
	sb	a4, 0(dst)
	sh	a5, 1(dst)
	addi	dst, dst, 3
	addi	left, left, -3
	j	\next
	/* 2 */
	lh	a4, 0(src)
	addi	src, src, 2
	sh	a4, 0(dst)
	addi	dst, dst, 2
	addi	left, left, -2
	j	\next
	.zero	8
	/* 1 */
	lb	a4, 0(src)
	addi	src, src, 1
	sb	a4, 0(dst)
	addi	dst, dst, 1
	addi	left, left, -1
	.option	pop
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
	ld	a4, 0(src)
	sltiu	t0, left, 32
	bnez	t0, .Lpairs
.endm

	/* The rows are found by counting bytes of code: no relaxing, and nothing compressed in them. */
	.option	norelax

	function fast_memcpy
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
	andi	t4, left, -128
	bnez	t4, .Lblocks
	andi	t5, left, -WORD
.Lwords:
	/* Each word is loaded before the one before it is stored; the first one lies in both. */
	ld	a4, 0(src)
	add	src, src, t5
	add	dst, dst, t5
	mv	a5, a4
	andi	left, left, WORD - 1
	jump_before .Lword_row_end + 4, t5
	.option	push
	.option	norvc
.irp at, 112, 96, 80, 64, 48, 32, 16
	ld	a4, -\at(src)
	sd	a5, -(\at + 8)(dst)
	ld	a5, -(\at - 8)(src)
	sd	a4, -\at(dst)
.endr
	sd	a5, -8(dst)
	.option	pop
.Lword_row_end:
	bnez	left, .Lload_piece
	ret
.Lload_piece:
	ld	a4, 0(src)
	/* The first bytes of a4, fewer than 8 and at least one: 32 bytes of code for each count. */
.Lpieces:
	slli	t5, left, 5
	jump_before .Lpieces_end, t5
	.option	push
	.option	norvc
	/* 7 */
	sw	a4, 0(dst)
	srli	a4, a4, 32
	sh	a4, 4(dst)
	srli	a4, a4, 16
	sb	a4, 6(dst)
	ret
	.zero	8
	/* 6 */
	sw	a4, 0(dst)
	srli	a4, a4, 32
	sh	a4, 4(dst)
	ret
	.zero	16
	/* 5 */
	sw	a4, 0(dst)
	srli	a4, a4, 32
	sb	a4, 4(dst)
	ret
	.zero	16
	/* 4 */
	sw	a4, 0(dst)
	ret
	.zero	24
	/* 3 */
	sh	a4, 0(dst)
	srli	a4, a4, 16
	sb	a4, 2(dst)
	ret
	.zero	16
	/* 2 */
	sh	a4, 0(dst)
	ret
	.zero	24
	/* 1 */
	sb	a4, 0(dst)
	ret
	.zero	24
.Lpieces_end:
	.option	pop

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
	ret

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
	slli	t5, t0, 3
	jump_after .Lbyte_row_7, t5
	.option	push
	.option	norvc
	copy_row	lb, sb, 7, 6, 5, 4, 3, 2, 1
.Lbyte_row_7:
	.option	pop
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
.Lfours:
	ld	a5, 8(src)
	ld	a6, 16(src)
	ld	a7, 24(src)
	srl	t6, a4, right
	ld	a4, 32(src)
	sll	t0, a5, back
	srl	a5, a5, right
	or	t6, t6, t0
	sll	t5, a6, back
	sd	t6, 0(dst)
	or	a5, a5, t5
	srl	a6, a6, right
	sd	a5, 8(dst)
	sll	t0, a7, back
	srl	a7, a7, right
	or	a6, a6, t0
	sll	t5, a4, back
	sd	a6, 16(dst)
	or	a7, a7, t5
	addi	src, src, 32
	sd	a7, 24(dst)
	addi	dst, dst, 32
.Lpairs:
	andi	t0, left, 16
	beqz	t0, .Lsingle
	ld	a5, 8(src)
	srl	t6, a4, right
	ld	a4, 16(src)
	sll	t0, a5, back
	srl	a5, a5, right
	or	t6, t6, t0
	sll	t5, a4, back
	sd	t6, 0(dst)
	or	a5, a5, t5
	addi	src, src, 16
	sd	a5, 8(dst)
	addi	dst, dst, 16
.Lsingle:
	andi	t0, left, 8
	beqz	t0, .Lapart_tail
	srl	t6, a4, right
	ld	a4, 8(src)
	addi	src, src, 8
	sll	t0, a4, back
	or	t6, t6, t0
	sd	t6, 0(dst)
	addi	dst, dst, 8

.Lapart_tail:
	andi	left, left, WORD - 1
	beqz	left, .Lreturn
	addi	t0, src, WORD
	srl	a4, a4, right
	bgeu	t0, end, .Lpieces
	ld	t6, 8(src)
	sll	t6, t6, back
	or	a4, a4, t6
	j	.Lpieces
.Lreturn:
	ret

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
	 * the next. Cycles a word: sifive-u74 3.63, sifive-p450 2.00.
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
	sw	t1, 44(dst)
	srli	a7, a4, 32
	ld	t0, 36(src)
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
	andi	t5, left, -4
	add	src, src, t5
	add	dst, dst, t5
	andi	left, left, 3
	slli	t5, t5, 1
	jump_before .Lhalf_row_end, t5
	.option	push
	.option	norvc
	copy_row	lw, sw, 60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4
	.option	pop
.Lhalf_row_end:
	beqz	left, .Lhalves_return
	lw	a4, 0(src)
	j	.Lpieces
.Lhalves_return:
	ret

	/* -- below 16 ----------------------------------------------------------------------- */
.Lsmall:
	sltiu	t0, left, 4
	bnez	t0, .Lsmallest
	or	t0, src, a0
	andi	t0, t0, 3
	mv	dst, a0
	bnez	t0, .Lbytes
	andi	t0, left, 8
	beqz	t0, .Lsmall_4
	lw	a4, 0(src)
	lw	a5, 4(src)
	addi	src, src, 8
	sw	a4, 0(dst)
	sw	a5, 4(dst)
	addi	dst, dst, 8
.Lsmall_4:
	andi	t0, left, 4
	beqz	t0, .Lsmall_3
	lw	a4, 0(src)
	addi	src, src, 4
	sw	a4, 0(dst)
	addi	dst, dst, 4
.Lsmall_3:
	andi	left, left, 3
	beqz	left, .Lreturn
.Lbytes:
	slli	t5, left, 3
	add	src, src, left
	add	dst, dst, left
	jump_before .Lbyte_row_end, t5
	.option	push
	.option	norvc
	copy_row	lb, sb, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1
	.option	pop
.Lbyte_row_end:
	ret
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
