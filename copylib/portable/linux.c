/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * linux: mainline's memcpy for riscv until 2026. Blocks of 16 words if source and destination lie
 * equally far past a word boundary, else bytes, or words of 4 bytes where everything fits.
 */
#include "copylib/portable/linux.h"
#include "copylib/variant.h"

void *linux_memcpy(void *dst, const void *src, size_t n)
{
	if (n >= LINUX_BLOCK_BYTES && co_aligned(dst, src))
		linux_blocks(dst, src, n);
	else
		linux_tail(dst, src, n);
	return dst;
}
