/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The two parts of mainline's memcpy.S (to 2026) that linux and linux-shift have in common.
 */
#ifndef COPYLIB_PORTABLE_LINUX_H
#define COPYLIB_PORTABLE_LINUX_H

#include "copylib/portable/words.h"

#define LINUX_BLOCK_BYTES 128

/* Words of 4 bytes if both addresses and the length allow it, else bytes. Forward. */
static inline void linux_tail(unsigned char *d, const unsigned char *s, size_t n)
{
	const unsigned char *end = s + n;

	if (n == 0)
		return;
	if ((((uintptr_t)s | (uintptr_t)d | (uintptr_t)end) & 3) == 0) {
		do {
			*(half_word *)d = *(const half_word *)s;
			s += 4;
			d += 4;
		} while (s < end);
		return;
	}
	copy_bytes(d, s, end);
}

/* Co-aligned, at least a block: bytes until both are aligned, blocks of 16 words, the tail. */
static inline void linux_blocks(unsigned char *d, const unsigned char *s, size_t n)
{
	const unsigned char *end;
	size_t whole;

	while (past_word(d)) {
		*d++ = *s++;
		n--;
	}
	whole = n & ~(size_t)(LINUX_BLOCK_BYTES - 1);
	for (end = s + whole; s < end; d += LINUX_BLOCK_BYTES) {
		word w0 = load_word(s);
		word w1 = load_word(s + 8);
		word w2 = load_word(s + 16);
		word w3 = load_word(s + 24);
		word w4 = load_word(s + 32);
		word w5 = load_word(s + 40);
		word w6 = load_word(s + 48);
		word w7 = load_word(s + 56);
		word w8 = load_word(s + 64);
		word w9 = load_word(s + 72);

		store_word(d, w0);
		store_word(d + 8, w1);
		store_word(d + 16, w2);
		store_word(d + 24, w3);
		store_word(d + 32, w4);
		store_word(d + 40, w5);
		store_word(d + 48, w6);
		store_word(d + 56, w7);
		store_word(d + 64, w8);
		store_word(d + 72, w9);

		w0 = load_word(s + 80);
		w1 = load_word(s + 88);
		w2 = load_word(s + 96);
		w3 = load_word(s + 104);
		w4 = load_word(s + 112);
		w5 = load_word(s + 120);
		s += LINUX_BLOCK_BYTES;

		store_word(d + 80, w0);
		store_word(d + 88, w1);
		store_word(d + 96, w2);
		store_word(d + 104, w3);
		store_word(d + 112, w4);
		store_word(d + 120, w5);
	}
	linux_tail(d, s, n - whole);
}

#endif
