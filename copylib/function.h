/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How a function in assembly begins and ends, whatever the machine. */
#ifndef COPYLIB_FUNCTION_H
#define COPYLIB_FUNCTION_H

/* Loops are what is measured, so each function begins where a fetch does. */
.macro function name
	.text
	.balign	64
	.globl	\name
	.type	\name, @function
\name:
.endm

.macro end_function name
	.size	\name, . - \name
.endm

/* Without it the linker takes it that the stack has to be executable. */
	.section .note.GNU-stack, "", @progbits
	.text

#endif
