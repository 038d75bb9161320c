/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The parts that c-shift and c-unroll have in common.
 */
#ifndef COPYLIB_PORTABLE_C_SHIFT_H
#define COPYLIB_PORTABLE_C_SHIFT_H

#include "copylib/portable/little-endian.h"
#include "copylib/portable/words.h"

/* Below this, bytes. */
#define WORDS_LEAST_BYTES 16

/*
 * Destination aligned, source not: merges words while one is left to write, and advances all
 * three. Each turn loads one aligned source word and keeps it for the next.
 */
static inline void shift_and_merge(unsigned char **dst, const unsigned char **src, size_t *n)
{
	unsigned char *d = *dst;
	size_t past = past_word(*src);
	const unsigned char *s = *src - past;
	size_t left = *n;
	word last, next = load_word(s);

	for (; left >= WORD_BYTES; left -= WORD_BYTES) {
		last = next;
		next = load_word(s + WORD_BYTES);
		store_word(d, last >> 8 * past | next << 8 * (WORD_BYTES - past));
		d += WORD_BYTES;
		s += WORD_BYTES;
	}
	*dst = d;
	*src = s + past;
	*n = left;
}

/* memmove of both: only a destination inside the source, above its start, needs the way back. */
static inline bool must_run_backward(const void *dst, const void *src, size_t n)
{
	return (uintptr_t)dst > (uintptr_t)src && (uintptr_t)dst - (uintptr_t)src < n;
}

static inline void copy_bytes_backward(unsigned char *dst, const unsigned char *src, size_t n)
{
	while (n--)
		dst[n] = src[n];
}

/* Bytes until the destination is aligned, one word a turn, bytes. */
static inline void set_words(unsigned char *d, int value, size_t n)
{
	word filled = replicate(value);

	if (n >= WORDS_LEAST_BYTES) {
		for (; past_word(d); n--)
			*d++ = value;
		for (; n >= WORD_BYTES; n -= WORD_BYTES) {
			store_word(d, filled);
			d += WORD_BYTES;
		}
	}
	for (; n; n--)
		*d++ = value;
}

#endif
