/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Code that a kernel replaces as it boots, when it has found out what the CPU has. Here nothing is
 * replaced: what stands is the first text, for a CPU that has nothing of the kind. A kernel leaves
 * it uncompressed, so that what replaces it fits; so does this.
 */
#ifndef COPYLIB_KERNEL_ASM_ALTERNATIVE_MACROS_H
#define COPYLIB_KERNEL_ASM_ALTERNATIVE_MACROS_H

/* The text is in quotes, which only the assembler can take away. */
.macro alternative_first text:req
	.option	push
	.option	norvc
	\text
	.option	pop
.endm

/* What follows the first: text, vendor, number and configuration of each other. */
#define ALTERNATIVE(first, ...)		alternative_first first
#define ALTERNATIVE_2(first, ...)	alternative_first first

#endif
