/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * asm-shift: the destination is aligned first, whatever the source; then blocks of 16 words and
 * single words if the source is aligned by that, else shift and merge. memmove does the same from
 * the end, without blocks, where the buffers overlap the wrong way.
 */
#include "copylib/portable/little-endian.h"
#include "copylib/portable/words.h"
#include "copylib/variant.h"

#define WORDS_LEAST_BYTES 16
#define BLOCK_BYTES	  128

/* Both aligned: copies whole blocks of 16 words and returns how many bytes those were. */
static inline size_t copy_blocks(unsigned char *d, const unsigned char *s, size_t n)
{
	size_t whole = n & ~(size_t)(BLOCK_BYTES - 1);
	const unsigned char *end = s + whole;

	for (; s < end; d += BLOCK_BYTES) {
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
		word w10 = load_word(s + 80);

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
		store_word(d + 80, w10);

		w0 = load_word(s + 88);
		w1 = load_word(s + 96);
		w2 = load_word(s + 104);
		w3 = load_word(s + 112);
		w4 = load_word(s + 120);
		s += BLOCK_BYTES;

		store_word(d + 88, w0);
		store_word(d + 96, w1);
		store_word(d + 104, w2);
		store_word(d + 112, w3);
		store_word(d + 120, w4);
	}
	return whole;
}

/*
 * From here on, `stop` is where the last whole word of the destination ends. In the shift loops
 * the source runs through its aligned words; each turn loads one and keeps it for the next.
 */
void *asm_shift_memcpy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;
	unsigned char *end = d + n;
	unsigned char *stop = end - past_word(end);

	if (n < WORDS_LEAST_BYTES)
		goto bytes;
	while (past_word(d))
		*d++ = *s++;

	if (past_word(s) == 0) {
		size_t copied = copy_blocks(d, s, end - d);

		for (d += copied, s += copied; d < stop; d += WORD_BYTES, s += WORD_BYTES)
			store_word(d, load_word(s));
	} else {
		size_t past = past_word(s);
		unsigned int right = 8 * past;
		unsigned int left = 64 - right;
		word current;

		s -= past;
		current = load_word(s);
		do {
			word out = current >> right;

			current = load_word(s + WORD_BYTES);
			store_word(d, out | current << left);
			s += WORD_BYTES;
			d += WORD_BYTES;
		} while (d < stop);
		s += past;
	}
bytes:
	copy_bytes(d, s, s + (end - d));
	return dst;
}

/* The mirror image: `d` and `s` are one past what is yet to be copied. */
static inline void copy_backward(unsigned char *dst, const unsigned char *src, size_t n)
{
	unsigned char *d = dst + n;
	const unsigned char *s = src + n;
	unsigned char *stop = dst + (-(uintptr_t)dst % WORD_BYTES);

	if (n < WORDS_LEAST_BYTES)
		goto bytes;
	while (past_word(d))
		*--d = *--s;

	if (past_word(s) == 0) {
		while (d > stop) {
			d -= WORD_BYTES;
			s -= WORD_BYTES;
			store_word(d, load_word(s));
		}
	} else {
		size_t past = past_word(s);
		unsigned int right = 8 * past;
		unsigned int left = 64 - right;
		word current;

		s -= past;
		current = load_word(s);
		do {
			word out = current << left;

			s -= WORD_BYTES;
			d -= WORD_BYTES;
			current = load_word(s);
			store_word(d, out | current >> right);
		} while (d > stop);
		s += past;
	}
bytes:
	while (d > dst) {
		d--;
		s--;
		*d = *s;
	}
}

void *asm_shift_memmove(void *dst, const void *src, size_t n)
{
	if (forward_is_safe(dst, src, n))
		return asm_shift_memcpy(dst, src, n);
	copy_backward(dst, src, n);
	return dst;
}
