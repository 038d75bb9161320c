/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-shift: the destination is aligned first, then one word a turn, either copied or merged by
 * shifts from two source words. memmove falls to bytes where it must run backward.
 */
#include "copylib/portable/c-shift.h"
#include "copylib/portable/words.h"
#include "copylib/variant.h"

void *c_shift_memcpy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if (n >= WORDS_LEAST_BYTES) {
		for (; past_word(d); n--)
			*d++ = *s++;
		if (past_word(s)) {
			shift_and_merge(&d, &s, &n);
		} else {
			for (; n >= WORD_BYTES; n -= WORD_BYTES) {
				store_word(d, load_word(s));
				d += WORD_BYTES;
				s += WORD_BYTES;
			}
		}
	}
	for (; n; n--)
		*d++ = *s++;
	return dst;
}

void *c_shift_memmove(void *dst, const void *src, size_t n)
{
	if (!must_run_backward(dst, src, n))
		return c_shift_memcpy(dst, src, n);
	copy_bytes_backward(dst, src, n);
	return dst;
}

void *c_shift_memset(void *dst, int value, size_t n)
{
	set_words(dst, value, n);
	return dst;
}
