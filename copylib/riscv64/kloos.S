/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * kloos: mainline's memmove for riscv since 2022. Backward whenever the source lies below the
 * destination, whether they overlap or not. Single words if both lie equally far past a word
 * boundary, else shift and merge, two words a turn, so that no word has to be moved to another
 * register.
 *
 *   a0  destination, as returned		a4  the destination after a turn that ends in its middle
 *   a1  source, advanced			a5  end of the destination
 *   a2  bytes					a6  where whole words end, or begin
 *   a3  destination, advanced			a7  how far the source lies past a word
 *   t0 - t5  words and shift counts
 */
#include "copylib/riscv64/routine.h"

#define src		a1
#define dst		a3
#define odd_stop	a4
#define dst_end		a5
#define stop		a6
#define past		a7
#define even		t0
#define odd		t1
#define out		t2
#define part		t3
#define right		t4
#define back		t5

	function kloos_memmove
	beq	a0, src, .Lreturn
	beqz	a2, .Lreturn
	mv	dst, a0
	add	dst_end, a0, a2
	sltiu	t6, a2, 16
	bltu	src, dst, .Lbackward

	bnez	t6, .Lforward_byte
	andi	t6, dst, WORD - 1
	beqz	t6, .Lforward_aligned
.Lforward_head:
	lb	t6, 0(src)
	addi	src, src, 1
	sb	t6, 0(dst)
	addi	dst, dst, 1
	andi	t6, dst, WORD - 1
	bnez	t6, .Lforward_head
.Lforward_aligned:
	andi	stop, dst_end, -WORD
	andi	past, src, WORD - 1
	bnez	past, .Lforward_apart
.Lforward_word:
	ld	even, 0(src)
	addi	src, src, WORD
	sd	even, 0(dst)
	addi	dst, dst, WORD
	bltu	dst, stop, .Lforward_word
	j	.Lforward_bytes

.Lforward_apart:
	addi	odd_stop, stop, WORD
	sub	src, src, past
	slli	right, past, 3
	neg	back, right
	ld	even, 0(src)
.Lforward_merge:
	/* 14 instructions for 2 words */
	ld	odd, WORD(src)
	srl	out, even, right
	sll	part, odd, back
	or	out, out, part
	sd	out, 0(dst)
	addi	dst, dst, 2 * WORD
	beq	dst, odd_stop, .Lforward_odd
	ld	even, 2 * WORD(src)
	srl	out, odd, right
	sll	part, even, back
	or	out, out, part
	sd	out, -WORD(dst)
	addi	src, src, 2 * WORD
	bne	dst, stop, .Lforward_merge
	add	src, src, past
	j	.Lforward_bytes
.Lforward_odd:
	addi	src, src, WORD
	addi	dst, dst, -WORD
	add	src, src, past

.Lforward_bytes:
	bgeu	dst, dst_end, .Lreturn
.Lforward_byte:
	lb	t6, 0(src)
	addi	src, src, 1
	sb	t6, 0(dst)
	addi	dst, dst, 1
	bltu	dst, dst_end, .Lforward_byte
.Lreturn:
	ret

.Lbackward:
	add	src, src, a2
	mv	dst, dst_end
	bnez	t6, .Lbackward_byte
	andi	t6, dst, WORD - 1
	beqz	t6, .Lbackward_aligned
.Lbackward_head:
	addi	src, src, -1
	addi	dst, dst, -1
	lb	t6, 0(src)
	sb	t6, 0(dst)
	andi	t6, dst, WORD - 1
	bnez	t6, .Lbackward_head
.Lbackward_aligned:
	addi	stop, a0, WORD - 1
	andi	stop, stop, -WORD
	andi	past, src, WORD - 1
	bnez	past, .Lbackward_apart
.Lbackward_word:
	addi	src, src, -WORD
	addi	dst, dst, -WORD
	ld	even, 0(src)
	sd	even, 0(dst)
	bltu	stop, dst, .Lbackward_word
	j	.Lbackward_bytes

.Lbackward_apart:
	addi	odd_stop, stop, -WORD
	sub	src, src, past
	slli	right, past, 3
	neg	back, right
	ld	even, 0(src)
.Lbackward_merge:
	/* 14 instructions for 2 words */
	ld	odd, -WORD(src)
	sll	out, even, back
	srl	part, odd, right
	or	out, out, part
	sd	out, -WORD(dst)
	addi	dst, dst, -2 * WORD
	beq	dst, odd_stop, .Lbackward_odd
	ld	even, -2 * WORD(src)
	sll	out, odd, back
	srl	part, even, right
	or	out, out, part
	sd	out, 0(dst)
	addi	src, src, -2 * WORD
	bne	dst, stop, .Lbackward_merge
	add	src, src, past
	j	.Lbackward_bytes
.Lbackward_odd:
	addi	src, src, -WORD
	addi	dst, dst, WORD
	add	src, src, past

.Lbackward_bytes:
	bgeu	a0, dst, .Lreturn
.Lbackward_byte:
	addi	src, src, -1
	addi	dst, dst, -1
	lb	t6, 0(src)
	sb	t6, 0(dst)
	bltu	a0, dst, .Lbackward_byte
	ret
	end_function kloos_memmove
