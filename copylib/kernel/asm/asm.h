/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The words by which a kernel's assembly is written once for registers of 32 and of 64 bits. Here
 * they are 64 bits wide; so the configuration that the files ask about is that of a 64-bit kernel
 * with an MMU and without vectors (CONFIG_RISCV_ISA_V stays undefined).
 */
#ifndef COPYLIB_KERNEL_ASM_ASM_H
#define COPYLIB_KERNEL_ASM_ASM_H

#ifndef CONFIG_64BIT
#define CONFIG_64BIT 1
#endif
#ifndef CONFIG_MMU
#define CONFIG_MMU 1
#endif

/* A register: load, store, bytes, and their logarithm. */
#define REG_L	ld
#define REG_S	sd
#define SZREG	8
#define LGREG	3

/* Data of a pointer's width, as the exception tables before 5.17 have it. */
#define RISCV_PTR	.dword
#define RISCV_SZPTR	8
#define RISCV_LGPTR	3
/* Of an int's, and of a short's. */
#define RISCV_INT	.word
#define RISCV_SZINT	4
#define RISCV_LGINT	2
#define RISCV_SHORT	.half
#define RISCV_SZSHORT	2
#define RISCV_LGSHORT	1

#endif
