/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Every instruction that the interpreter knows, on two operands and some memory: each result goes to
 * the next word of the output.
 *
 *   a0  output, advanced, as returned	a2, a3  operands	a6  result
 *   a1  memory, aligned to 8 bytes	a4, a5  their copies, for compressed instructions
 */
#include "copylib/riscv64/routine.h"

.macro result
	sd	a6, 0(a0)
	addi	a0, a0, 8
.endm

.macro two operations:vararg
.irp operation, \operations
	\operation	a6, a2, a3
	result
.endr
.endm

.macro one operations:vararg
.irp operation, \operations
	\operation	a6, a2
	result
.endr
.endm

.macro with_immediate operation, values:vararg
.irp value, \values
	\operation	a6, a2, \value
	result
.endr
.endm

.macro branches operations:vararg
.irp operation, \operations
	li	a6, 1
	\operation	a2, a3, 7f
	li	a6, 0
7:	result
.endr
.endm

.macro load operation, offsets:vararg
.irp offset, \offsets
	\operation	a6, \offset(a1)
	result
.endr
.endm

.macro store operation, offset
	sd	a3, 0(a0)
	\operation	a2, \offset(a0)
	addi	a0, a0, 8
.endm

/* A compressed instruction changes its register: a copy of the first operand. */
.macro compressed instruction:vararg
	mv	a4, a2
	mv	a5, a3
	\instruction
	mv	a6, a4
	result
.endm

/* As many elements as asked for, in registers of that size and grouping. */
.macro configure element, group
	vsetvli	a6, a2, \element, \group, ta, ma
	result
	csrr	a6, vl
	result
	csrr	a6, vtype
	result
.endm

/* Elements of BITS, 64 bytes of them at most: loaded, stored, filled. Beyond vl all stays as it is. */
.macro move bits, group
	li	t0, 64 * 8 / \bits
	bltu	a2, t0, 1f
	mv	a2, t0
1:	vsetvli	t0, a2, e\bits, \group, ta, ma
	vle\bits\().v v8, (a1)
	sd	a3, 0(a0)
	sd	a3, 8(a0)
	vse\bits\().v v8, (a0)
	addi	a0, a0, 64
	vmv.v.x	v16, a3
	vse\bits\().v v16, (a0)
	addi	a0, a0, 64
	vmv.v.i	v16, -3
	vmv.v.v	v0, v16
	vse\bits\().v v0, (a0)
	addi	a0, a0, 64
.endm

	.option	arch, +zbb, +v
	function instructions_scalar
	two	add, sub, sll, slt, sltu, xor, srl, sra
	two	or, and, addw, subw, sllw, srlw, sraw, mul
	two	mulh, mulhsu, mulhu, div, divu, rem, remu, mulw
	two	divw, divuw, remw, remuw, andn, orn, xnor, min
	two	minu, max, maxu, rol, ror
	one	rev8, orc.b, clz, ctz, cpop, sext.b, sext.h, zext.h
	one	sext.w, neg, not, seqz, snez
	with_immediate addi, 0, 1, -1, 2047, -2048
	with_immediate slti, 0, 1, -1, 2047, -2048
	with_immediate sltiu, 0, 1, -1, 2047
	with_immediate xori, -1, 1365
	with_immediate ori, 2047, -2048
	with_immediate andi, 15, -8, -128, 2047
	with_immediate slli, 0, 1, 31, 32, 63
	with_immediate srli, 0, 1, 31, 32, 63
	with_immediate srai, 0, 1, 31, 32, 63
	with_immediate addiw, 0, 1, -1, 2047
	with_immediate slliw, 0, 1, 31
	with_immediate srliw, 0, 1, 31
	with_immediate sraiw, 0, 1, 31
	with_immediate rori, 0, 1, 32, 63
	branches	beq, bne, blt, bge, bltu, bgeu
	load	lb, 0, 1, 7, 16
	load	lbu, 0, 1, 7, 16
	load	lh, 0, 2, 6, 16
	load	lhu, 0, 2, 6, 16
	load	lw, 0, 4, 4, 16
	load	lwu, 0, 4, 4, 16
	load	ld, 0, 8, 0, 16
	store	sb, 0
	store	sb, 1
	store	sb, 7
	store	sh, 0
	store	sh, 2
	store	sh, 6
	store	sw, 0
	store	sw, 4
	store	sd, 0
	compressed c.addi a4, 5
	compressed c.addi a4, -32
	compressed c.addiw a4, 31
	compressed c.addiw a4, -1
	compressed c.li a4, -17
	compressed c.lui a4, 31
	compressed c.lui a4, 0xfffe1
	compressed c.slli a4, 33
	compressed c.srli a4, 33
	compressed c.srai a4, 33
	compressed c.andi a4, -7
	compressed c.sub a4, a5
	compressed c.xor a4, a5
	compressed c.or a4, a5
	compressed c.and a4, a5
	compressed c.subw a4, a5
	compressed c.addw a4, a5
	compressed c.add a4, a5
	compressed c.mv a4, a5
	compressed lui a4, 0x12345
	compressed lui a4, 0xfffff
	/* Compressed loads and stores, by the near registers and by the stack pointer. */
	mv	a5, a1
	c.ld	a4, 24(a5)
	mv	a6, a4
	result
	c.lw	a4, 28(a5)
	mv	a6, a4
	result
	mv	a5, a0
	sd	zero, 0(a0)
	mv	a4, a2
	c.sw	a4, 4(a5)
	addi	a0, a0, 8
	mv	a5, a0
	c.sd	a4, 0(a5)
	addi	a0, a0, 8
	c.addi16sp sp, -64
	c.sdsp	a2, 40(sp)
	c.swsp	a3, 48(sp)
	c.ldsp	a6, 40(sp)
	result
	c.lwsp	a6, 48(sp)
	result
	c.addi4spn a4, sp, 40
	ld	a6, 0(a4)
	result
	c.addi16sp sp, 64
	/* Jumps, and where they say that they come from. */
	li	a6, 1
	jal	t0, 1f
	li	a6, 2
1:	auipc	t1, 0
	sub	t1, t1, t0
	add	a6, a6, t1
	result
	la	t1, 2f
	jalr	t0, 0(t1)
	li	a6, 3
2:	la	t1, 2b
	sub	a6, t1, t0
	result
	li	a6, 5
	c.j	3f
	li	a6, 6
3:	result
	mv	a4, a2
	li	a6, 7
	c.beqz	a4, 4f
	li	a6, 8
4:	result
	li	a6, 9
	c.bnez	a4, 5f
	li	a6, 10
5:	result
	la	t1, 6f
	li	a6, 11
	c.jr	t1
	li	a6, 12
6:	result
	fence
	ret
	end_function instructions_scalar

	/* The first operand is a number of elements. */
	function instructions_vector
	configure	e8, m1
	configure	e8, m4
	configure	e8, m8
	configure	e16, m2
	configure	e32, m4
	configure	e64, m8
	configure	e8, mf2
	configure	e16, mf4
	configure	e64, m1
	vsetvli	a6, zero, e8, m2, ta, ma
	result
	vsetivli a6, 5, e8, m1, ta, ma
	result
	vsetvli	zero, zero, e8, m1, ta, ma
	csrr	a6, vl
	result
	li	t0, 0xc3
	vsetvl	a6, a2, t0
	result
	csrr	a6, vlenb
	result
	csrr	a6, vstart
	result
	csrw	vstart, a3
	csrwi	vstart, 0
	csrr	a6, vstart
	result
	move	8, m1
	move	8, m8
	move	16, m2
	move	32, m1
	move	64, m4
	ret
	end_function instructions_vector
