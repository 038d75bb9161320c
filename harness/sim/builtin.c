/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * copylib's routines for riscv64 as part of this program, so that any machine can judge them. The
 * Makefile names the file in VARIANTS_FILE, where a compiler for riscv64 was there.
 */
#include "harness/sim/image.h"

#ifdef VARIANTS_FILE
__asm__(".section .rodata\n"
	".balign 8\n"
	"variants_begin:\n"
	".incbin \"" VARIANTS_FILE "\"\n"
	"variants_end:\n"
	".byte 0\n"
	".previous\n");
extern const unsigned char variants_begin[], variants_end[];

const void *rv64_builtin_variants(size_t *bytes)
{
	*bytes = (size_t)(variants_end - variants_begin);
	return variants_begin;
}
#else
const void *rv64_builtin_variants(size_t *bytes)
{
	*bytes = 0;
	return NULL;
}
#endif
