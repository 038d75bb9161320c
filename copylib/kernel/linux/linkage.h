/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How functions begin and end in a kernel's assembly, for files of arch/riscv/lib that are
 * assembled in user space. Both generations are here: SYM_FUNC_START and its family, and ENTRY,
 * WEAK, END and ENDPROC. Each function becomes a symbol of type function with a size, from which a
 * reader of the object knows where its code ends.
 *
 * Nothing here adds an instruction.
 */
#ifndef COPYLIB_KERNEL_LINUX_LINKAGE_H
#define COPYLIB_KERNEL_LINUX_LINKAGE_H

#include <linux/export.h>

/*
 * With linker relaxation, each alignment is nops that only the linker takes away, and an address
 * that is loaded may lose an instruction. Off, the object has what the routine executes.
 */
.option norelax

/* A line of assembly ends here: a macro of the preprocessor is one line. */
#define ASM_NL ;

#define SYM_L_GLOBAL(name)	.globl name
#define SYM_L_WEAK(name)	.weak name
#define SYM_L_LOCAL(name)

#define SYM_A_ALIGN	.balign 4
#define SYM_A_NONE

/*
 * Older files open a function under two names and end it under one of them. So a name is as long as
 * to the next end of a function, 9009, until an end of its own says otherwise.
 */
#define SYM_START(name, linkage, alignment)			\
	linkage(name) ASM_NL					\
	.type name, @function ASM_NL				\
	alignment ASM_NL					\
	name: ASM_NL						\
	.size name, 9009f - name

#define SYM_FUNC_START(name)			SYM_START(name, SYM_L_GLOBAL, SYM_A_ALIGN)
#define SYM_FUNC_START_NOALIGN(name)		SYM_START(name, SYM_L_GLOBAL, SYM_A_NONE)
#define SYM_FUNC_START_LOCAL(name)		SYM_START(name, SYM_L_LOCAL, SYM_A_ALIGN)
#define SYM_FUNC_START_LOCAL_NOALIGN(name)	SYM_START(name, SYM_L_LOCAL, SYM_A_NONE)
#define SYM_FUNC_START_WEAK(name)		SYM_START(name, SYM_L_WEAK, SYM_A_ALIGN)
#define SYM_FUNC_START_WEAK_NOALIGN(name)	SYM_START(name, SYM_L_WEAK, SYM_A_NONE)

#define SYM_FUNC_END(name)					\
	9009: ASM_NL						\
	.Lend_of_##name: ASM_NL					\
	.size name, .Lend_of_##name - name

/* An alias ends where its function does, wherever the alias is written. */
#define SYM_ALIAS(alias, name, linkage)				\
	linkage(alias) ASM_NL					\
	.type alias, @function ASM_NL				\
	.set alias, name ASM_NL					\
	.size alias, .Lend_of_##name - name

#define SYM_FUNC_ALIAS(alias, name)		SYM_ALIAS(alias, name, SYM_L_GLOBAL)
#define SYM_FUNC_ALIAS_LOCAL(alias, name)	SYM_ALIAS(alias, name, SYM_L_LOCAL)
#define SYM_FUNC_ALIAS_WEAK(alias, name)	SYM_ALIAS(alias, name, SYM_L_WEAK)

/* The older generation. Its files end with END what is a function as well. */
#define ENTRY(name)	SYM_FUNC_START(name)
#define WEAK(name)	SYM_FUNC_START_WEAK_NOALIGN(name)
#define END(name)	SYM_FUNC_END(name)
#define ENDPROC(name)	SYM_FUNC_END(name)

#endif
