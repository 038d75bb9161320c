/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * asm-shift: the destination is aligned first, whatever the source; then blocks of 16 words and
 * single words if the source is aligned by that, else shift and merge. memmove does the same from
 * the end, without blocks, where the buffers overlap the wrong way.
 *
 *   a0  destination, as returned		a3  destination, advanced (or drawn back)
 *   a1  source, advanced (or drawn back)	a4  where the last whole word ends (or begins)
 *   a2  bytes; then where the destination ends a5  how far the source lies past a word
 *   a6, a7, t0 - t2  words and shift counts; in the blocks, a4 - t6 are words
 */
#include "copylib/riscv64/routine.h"

#define src		a1
#define end		a2
#define dst		a3
#define stop		a4
#define past		a5
#define current		a6
#define out		a7
#define part		t0
#define right		t1
#define back		t2

	function asm_shift_memcpy
	mv	dst, a0
	sltiu	t0, a2, 16
	add	end, a0, a2
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
	andi	past, src, WORD - 1
	bnez	past, .Lapart

	addi	end, end, -127 /* while the destination is below that, a block is left */
	bgeu	dst, end, .Lblocks_end
.Lblock:
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
	ld	t6, 80(src)
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
	sd	t6, 80(dst)
	ld	a4, 88(src)
	ld	a5, 96(src)
	ld	a6, 104(src)
	ld	a7, 112(src)
	ld	t0, 120(src)
	addi	src, src, 128
	sd	a4, 88(dst)
	sd	a5, 96(dst)
	sd	a6, 104(dst)
	sd	a7, 112(dst)
	sd	t0, 120(dst)
	addi	dst, dst, 128
	bltu	dst, end, .Lblock
.Lblocks_end:
	addi	end, end, 127
	andi	stop, end, -WORD
	bgeu	dst, stop, .Lbytes
.Lword:
	ld	current, 0(src)
	addi	src, src, WORD
	sd	current, 0(dst)
	addi	dst, dst, WORD
	bltu	dst, stop, .Lword
	j	.Lbytes

.Lapart:
	andi	stop, end, -WORD
	sub	src, src, past
	slli	right, past, 3
	neg	back, right /* shifts look at the low 6 bits alone */
	ld	current, 0(src)
.Lmerge:
	/* 8 instructions a word */
	srl	out, current, right
	ld	current, WORD(src)
	addi	src, src, WORD
	sll	part, current, back
	or	out, out, part
	sd	out, 0(dst)
	addi	dst, dst, WORD
	bltu	dst, stop, .Lmerge
	add	src, src, past

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
	end_function asm_shift_memcpy

	function asm_shift_memmove
	sub	t0, a0, src
	bgeu	t0, a2, asm_shift_memcpy
	/* Backward: src and dst are one past what is yet to be copied, down to a0. */
	sltiu	t0, a2, 16
	add	src, src, a2
	add	dst, a0, a2
	bnez	t0, .Lback_bytes
	andi	t0, dst, WORD - 1
	beqz	t0, .Lback_aligned
.Lback_head:
	addi	src, src, -1
	addi	dst, dst, -1
	lb	t0, 0(src)
	sb	t0, 0(dst)
	andi	t0, dst, WORD - 1
	bnez	t0, .Lback_head
.Lback_aligned:
	addi	stop, a0, WORD - 1
	andi	stop, stop, -WORD
	andi	past, src, WORD - 1
	bnez	past, .Lback_apart
.Lback_word:
	addi	src, src, -WORD
	addi	dst, dst, -WORD
	ld	current, 0(src)
	sd	current, 0(dst)
	bltu	stop, dst, .Lback_word
	j	.Lback_bytes

.Lback_apart:
	sub	src, src, past
	slli	right, past, 3
	neg	back, right
	ld	current, 0(src)
.Lback_merge:
	sll	out, current, back
	addi	src, src, -WORD
	ld	current, 0(src)
	addi	dst, dst, -WORD
	srl	part, current, right
	or	out, out, part
	sd	out, 0(dst)
	bltu	stop, dst, .Lback_merge
	add	src, src, past

.Lback_bytes:
	bgeu	a0, dst, .Lback_return
.Lback_byte:
	addi	src, src, -1
	addi	dst, dst, -1
	lb	t0, 0(src)
	sb	t0, 0(dst)
	bltu	a0, dst, .Lback_byte
.Lback_return:
	ret
	end_function asm_shift_memmove
