/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-shift-unroll: c-shift with both of its loops 8 words a turn; what is left below that, and every
 * copy below that, is copied byte by byte.
 */
#include "copylib/portable/little-endian.h"
#include "copylib/portable/words.h"
#include "copylib/variant.h"

#define BLOCK_BYTES 64

static inline word merged(word last, word next, size_t past)
{
	return last >> 8 * past | next << 8 * (WORD_BYTES - past);
}

/* Destination aligned, source not: copies whole blocks and returns how many bytes those were. */
static inline size_t merge_blocks(unsigned char *d, const unsigned char *s, size_t n)
{
	size_t past = past_word(s);
	size_t whole = n & ~(size_t)(BLOCK_BYTES - 1);
	const unsigned char *end;
	word w0;

	s -= past;
	end = s + whole;
	for (w0 = load_word(s); s < end; s += BLOCK_BYTES, d += BLOCK_BYTES) {
		word w1 = load_word(s + 8);
		word w2 = load_word(s + 16);
		word w3 = load_word(s + 24);
		word w4 = load_word(s + 32);
		word w5 = load_word(s + 40);
		word w6 = load_word(s + 48);
		word w7 = load_word(s + 56);
		word w8 = load_word(s + 64);

		store_word(d, merged(w0, w1, past));
		store_word(d + 8, merged(w1, w2, past));
		store_word(d + 16, merged(w2, w3, past));
		store_word(d + 24, merged(w3, w4, past));
		store_word(d + 32, merged(w4, w5, past));
		store_word(d + 40, merged(w5, w6, past));
		store_word(d + 48, merged(w6, w7, past));
		store_word(d + 56, merged(w7, w8, past));
		w0 = w8;
	}
	return whole;
}

/* Both aligned: likewise. */
static inline size_t copy_blocks(unsigned char *d, const unsigned char *s, size_t n)
{
	size_t whole = n & ~(size_t)(BLOCK_BYTES - 1);
	const unsigned char *end = s + whole;

	for (; s < end; s += BLOCK_BYTES, d += BLOCK_BYTES) {
		copy_8_words(d, s);
	}
	return whole;
}

void *c_shift_unroll_memcpy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;
	unsigned char *end = d + n;

	if (n >= BLOCK_BYTES) {
		size_t copied;

		while (past_word(d))
			*d++ = *s++;
		if (past_word(s))
			copied = merge_blocks(d, s, (size_t)(end - d));
		else
			copied = copy_blocks(d, s, (size_t)(end - d));
		d += copied;
		s += copied;
	}
	copy_bytes(d, s, s + (end - d));
	return dst;
}
