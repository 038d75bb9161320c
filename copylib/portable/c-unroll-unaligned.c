/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-unroll-unaligned: c-unroll as built for a CPU whose misaligned accesses are fast: blocks of 8
 * words from the first byte on, wherever that lies, and a byte tail.
 */
#include "copylib/portable/words.h"
#include "copylib/variant.h"

#define BLOCK_BYTES 64

void *c_unroll_unaligned_memcpy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;
	size_t whole = n & ~(size_t)(BLOCK_BYTES - 1);
	const unsigned char *end = s + whole;

	for (; s < end; s += BLOCK_BYTES, d += BLOCK_BYTES) {
		copy_8_words(d, s);
	}
	copy_bytes(d, s, s + (n - whole));
	return dst;
}
