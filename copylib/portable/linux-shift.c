/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * linux-shift: linux, and a loop that merges two aligned source words into one where source and
 * destination are not co-aligned. A word that comes from the loop's last turn is carried into the
 * next by a move of its own; the loop is not unrolled.
 */
#include "copylib/portable/little-endian.h"
#include "copylib/portable/linux.h"
#include "copylib/variant.h"

#define SHIFT_LEAST_BYTES 16

/* Not co-aligned, at least SHIFT_LEAST_BYTES. */
static inline void shift_and_merge(unsigned char *d, const unsigned char *s, size_t n)
{
	size_t head = -(uintptr_t)d % WORD_BYTES;
	unsigned int past, right, left;
	unsigned char *stop;
	word current;

	n -= head;
	for (; head; head--)
		*d++ = *s++;

	past = past_word(s); /* never 0 here */
	right = 8 * past;
	left = 64 - right;
	s -= past;
	stop = d + (n & ~(size_t)(WORD_BYTES - 1));
	current = load_word(s);
	do {
		word next = load_word(s + WORD_BYTES);
		word out = current >> right;

		current = next;
		s += WORD_BYTES;
		d += WORD_BYTES;
		out |= current << left;
		store_word(d - WORD_BYTES, out);
	} while (d != stop);
	linux_tail(d, s + past, n % WORD_BYTES);
}

void *linux_shift_memcpy(void *dst, const void *src, size_t n)
{
	if (co_aligned(dst, src)) {
		if (n >= LINUX_BLOCK_BYTES)
			linux_blocks(dst, src, n);
		else
			linux_tail(dst, src, n);
	} else if (n >= SHIFT_LEAST_BYTES) {
		shift_and_merge(dst, src, n);
	} else {
		linux_tail(dst, src, n);
	}
	return dst;
}
