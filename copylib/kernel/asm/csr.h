/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Control and status registers. A kernel's user copy lifts the ban on user memory by a bit of the
 * status register when it begins, and restores it before each return. In user space there is no
 * such ban, and to touch that register is an illegal instruction. So csrs, csrc, csrw and csrr of
 * the status register become one nop each. It is never a compressed one: the routine stays as long
 * as it was, in instructions and in bytes.
 *
 * For this, macros of the assembler stand before the four mnemonics. Other registers, such as
 * vstart in vector code, are accessed as ever, by what the mnemonics are short for.
 */
#ifndef COPYLIB_KERNEL_ASM_CSR_H
#define COPYLIB_KERNEL_ASM_CSR_H

/* Supervisor may access user memory. */
#define SR_SUM		0x00040000

/* By name, as some files write it, so that one comparison finds both spellings. */
#define CSR_SSTATUS	sstatus
#define CSR_STATUS	CSR_SSTATUS

#define CSR_VSTART	0x008
#define CSR_VCSR	0x00f
#define CSR_VL		0xc20
#define CSR_VTYPE	0xc21
#define CSR_VLENB	0xc22

.macro csr_unless_status register:req, instruction:vararg
	.ifc	\register, sstatus
	.option	push
	.option	norvc
	nop
	.option	pop
	.else
	\instruction
	.endif
.endm

.macro csrs register:req, bits:req
	csr_unless_status \register, csrrs zero, \register, \bits
.endm

.macro csrc register:req, bits:req
	csr_unless_status \register, csrrc zero, \register, \bits
.endm

.macro csrw register:req, value:req
	csr_unless_status \register, csrrw zero, \register, \value
.endm

.macro csrr into:req, register:req
	csr_unless_status \register, csrrs \into, \register, zero
.endm

#endif
