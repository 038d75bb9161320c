/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Entries of the exception table as they are since 5.17, 12 bytes each in the section __ex_table:
 * how far it is to the instruction that may fault, and to where execution goes on then, each from
 * its own field; a type; and data that belong to the type. Files from before write their entries
 * themselves, as two absolute addresses of RISCV_PTR (see asm.h).
 *
 * copylib/usercopy.h and harness/sim/image.h read both.
 */
#ifndef COPYLIB_KERNEL_ASM_ASM_EXTABLE_H
#define COPYLIB_KERNEL_ASM_ASM_EXTABLE_H

/* Go on at the fix-up, and nothing else: the only type that a copy routine needs. */
#define EX_TYPE_FIXUP	1

.macro _asm_extable_raw instruction:req, fixup:req, type:req, data:req
	.pushsection __ex_table, "a"
	.balign	4
	.4byte	(\instruction) - .
	.4byte	(\fixup) - .
	.2byte	\type
	.2byte	\data
	.popsection
.endm

.macro _asm_extable instruction:req, fixup:req
	_asm_extable_raw \instruction, \fixup, EX_TYPE_FIXUP, 0
.endm

#define __ASM_EXTABLE_RAW(instruction, fixup, type, data) \
	_asm_extable_raw instruction, fixup, type, data

#endif
