/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-unroll: c-shift with its aligned part in blocks of 8 words. What is left below a block is
 * copied byte by byte, which makes small aligned copies slow; that is how it was published.
 */
#include "copylib/portable/c-shift.h"
#include "copylib/portable/words.h"
#include "copylib/variant.h"

#define BLOCK_BYTES 64

/* Both aligned: copies while a whole block is left, and advances all three. */
static inline void copy_blocks(unsigned char **dst, const unsigned char **src, size_t *n)
{
	unsigned char *d = *dst;
	const unsigned char *s = *src;
	size_t left = *n;

	for (; left >= BLOCK_BYTES; left -= BLOCK_BYTES) {
		copy_8_words(d, s);
		s += BLOCK_BYTES;
		d += BLOCK_BYTES;
	}
	*dst = d;
	*src = s;
	*n = left;
}

void *c_unroll_memcpy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if (n >= WORDS_LEAST_BYTES) {
		for (; past_word(d); n--)
			*d++ = *s++;
		if (past_word(s))
			shift_and_merge(&d, &s, &n);
		else
			copy_blocks(&d, &s, &n);
	}
	for (; n; n--)
		*d++ = *s++;
	return dst;
}

void *c_unroll_memmove(void *dst, const void *src, size_t n)
{
	if (!must_run_backward(dst, src, n))
		return c_unroll_memcpy(dst, src, n);
	copy_bytes_backward(dst, src, n);
	return dst;
}

void *c_unroll_memset(void *dst, int value, size_t n)
{
	set_words(dst, value, n);
	return dst;
}
