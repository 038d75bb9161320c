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
		word w0 = load_word(s);
		word w1 = load_word(s + 8);
		word w2 = load_word(s + 16);
		word w3 = load_word(s + 24);
		word w4 = load_word(s + 32);
		word w5 = load_word(s + 40);
		word w6 = load_word(s + 48);
		word w7 = load_word(s + 56);

		store_word(d, w0);
		store_word(d + 8, w1);
		store_word(d + 16, w2);
		store_word(d + 24, w3);
		store_word(d + 32, w4);
		store_word(d + 40, w5);
		store_word(d + 48, w6);
		store_word(d + 56, w7);
	}
	copy_bytes(d, s, s + (n - whole));
	return dst;
}
