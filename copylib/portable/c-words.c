/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-words: one word a turn if both addresses are aligned, else whatever linux does.
 */
#include "copylib/portable/words.h"
#include "copylib/variant.h"

void *c_words_memcpy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;

	if (((uintptr_t)d | (uintptr_t)s) % WORD_BYTES)
		return linux_memcpy(dst, src, n);
	for (; n >= WORD_BYTES; n -= WORD_BYTES) {
		store_word(d, load_word(s));
		d += WORD_BYTES;
		s += WORD_BYTES;
	}
	for (; n; n--)
		*d++ = *s++;
	return dst;
}
