/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-fast: this project's own, in C for any machine. memcpy is the copy of c-fast-forward.h; memmove
 * runs that, or its mirror image where the destination overlaps the source from above; memset
 * stores pieces of a word until the destination is aligned, 16 words a turn, and then what is left.
 */
#define load(kind, value, address, label)  ((value) = *(const kind *)(address))
#define store(kind, value, address, label) (*(kind *)(address) = (value))

#include "copylib/portable/c-fast-forward.h"
#include "copylib/variant.h"

void *c_fast_memcpy(void *dst, const void *src, size_t n)
{
	struct copy copy = { dst, src, (byte *)dst + n };

	copy_forward(&copy, n);
	return dst;
}

/*
 * Backward, both pointers are one past what is yet to be copied, and n bytes are left. The rows go
 * by the beginning of what they copy.
 */
#define COPY_DOWN(kind, count)                                 \
	case count:                                            \
		COPY(kind, ((count) - 1) * (int)sizeof(kind)); \
		FALLTHROUGH

ALWAYS_INLINE void copy_bytes_down(byte *d, const byte *s, size_t bytes)
{
	switch (bytes) {
		ROWS_FROM_15(COPY_DOWN, byte);
	default:
		break;
	}
}

ALWAYS_INLINE void copy_words_down(byte *d, const byte *s, size_t words)
{
	switch (words) {
		ROWS_FROM_15(COPY_DOWN, word);
	default:
		break;
	}
}

/* The last bytes of a word, below 8, to what ends at an aligned address. */
ALWAYS_INLINE void store_last_pieces(byte *d, word value, size_t bytes)
{
	if (bytes & 4) {
		d -= 4;
		store(half, PIECE(half, value, 4), d, fault);
		value = TO_LAST(value, 32);
	}
	if (bytes & 2) {
		d -= 2;
		store(quarter, PIECE(quarter, value, 6), d, fault);
		value = TO_LAST(value, 16);
	}
	if (bytes & 1)
		store(byte, PIECE(byte, value, 7), d - 1, fault);
}

/* Equally far past a word, at least 16 bytes. */
ALWAYS_INLINE void copy_aligned_down(byte *dst, byte *d, const byte *s)
{
	byte *last = dst + 128;
	word w0, w1, w2, w3, w4, w5, w6, w7;
	size_t n;

	if ((uintptr_t)d & 1) {
		COPY(byte, -1);
		d -= 1;
		s -= 1;
	}
	HIDE(d);
	if ((uintptr_t)d & 2) {
		COPY(quarter, -2);
		d -= 2;
		s -= 2;
	}
	HIDE(d);
	if ((uintptr_t)d & 4) {
		COPY(half, -4);
		d -= 4;
		s -= 4;
	}
	while (d >= last) {
		LOAD_4(w0, w1, w2, w3, -32);
		LOAD_4(w4, w5, w6, w7, -64);
		STORE_4(w0, w1, w2, w3, -32);
		STORE_4(w4, w5, w6, w7, -64);
		LOAD_4(w0, w1, w2, w3, -96);
		LOAD_4(w4, w5, w6, w7, -128);
		STORE_4(w0, w1, w2, w3, -96);
		STORE_4(w4, w5, w6, w7, -128);
		d -= 128;
		HIDE(d);
		s -= 128;
	}
	n = (size_t)(d - dst);
	d -= n & -(size_t)WORD_BYTES;
	s -= n & -(size_t)WORD_BYTES;
	copy_words_down(d, s, n / WORD_BYTES % 16);
	n %= WORD_BYTES;
	if (n == 0)
		return;
	load(word, w0, s - WORD_BYTES, fault);
	store_last_pieces(d, w0, n);
}

/* Destination ends aligned, source past a word. w7 is the word in which the last byte lies. */
ALWAYS_INLINE void copy_merged_down(byte *dst, byte *d, const byte *s)
{
	unsigned int past = past_word(s), to_first = 8 * past, to_last = 64 - to_first;
	byte *last = dst + 64;
	word w0, w1, w2, w3, w4, w5, w6, w7;
	size_t n;

	s -= past;
	load(word, w7, s, fault);
	while (d >= last) {
		LOAD_4(w3, w4, w5, w6, -32);
		MERGE_4(w3, w4, w5, w6, w7, -32);
		LOAD_4(w7, w0, w1, w2, -64);
		MERGE_4(w7, w0, w1, w2, w3, -64);
		d -= 64;
		HIDE(d);
		s -= 64;
	}
	n = (size_t)(d - last); /* modulo 64 */
	if (n & 32) {
		LOAD_2(w5, w6, -16);
		MERGE_2(w5, w6, w7, -16);
		LOAD_2(w3, w4, -32);
		MERGE_2(w3, w4, w5, -32);
		w7 = w3;
		d -= 32;
		s -= 32;
	}
	if (n & 16) {
		LOAD_2(w5, w6, -16);
		MERGE_2(w5, w6, w7, -16);
		w7 = w5;
		d -= 16;
		s -= 16;
	}
	if (n & 8) {
		load(word, w6, s - 8, fault);
		store(word, MERGED(w6, w7), d - 8, fault);
		w7 = w6;
		d -= 8;
		s -= 8;
	}
	n %= WORD_BYTES;
	if (n == 0)
		return;
	w7 = TO_LAST(w7, to_last);
	if (8 * (unsigned int)n > to_first) {
		load(word, w6, s - 8, fault);
		w7 |= TO_FIRST(w6, to_first);
	}
	store_last_pieces(d, w7, n);
}

/* Not inline: then nothing of it is done before memmove has chosen. */
static __attribute__((noinline)) void *copy_backward(byte *dst, const byte *src, size_t n)
{
	byte *d = dst + n;
	const byte *s = src + n;
	size_t past = past_word(d);

	if (n < WORDS_LEAST_BYTES) {
		copy_bytes_down(dst, src, n);
	} else if (past == past_word(s)) {
		copy_aligned_down(dst, d, s);
	} else {
		if (past)
			copy_bytes_down(d - past, s - past, past);
		copy_merged_down(dst, d - past, s - past);
	}
	return dst;
}

void *c_fast_memmove(void *dst, const void *src, size_t n)
{
	if ((uintptr_t)dst - (uintptr_t)src >= n)
		return c_fast_memcpy(dst, src, n);
	return copy_backward(dst, src, n);
}

/* -- memset -------------------------------------------------------------------------------- */

#define SET_UP(kind, count)                                                        \
	case count:                                                                \
		store(kind, (kind)filled, d - (count) * (int)sizeof(kind), fault); \
		FALLTHROUGH

ALWAYS_INLINE void set_bytes(byte *d, byte filled, size_t bytes)
{
	d += bytes;
	switch (bytes) {
		ROWS_FROM_15(SET_UP, byte);
	default:
		break;
	}
}

ALWAYS_INLINE byte *set_head(byte *d, word filled)
{
	if ((uintptr_t)d & 1) {
		store(byte, (byte)filled, d, fault);
		d += 1;
	}
	HIDE(d);
	if ((uintptr_t)d & 2) {
		store(quarter, (quarter)filled, d, fault);
		d += 2;
	}
	HIDE(d);
	if ((uintptr_t)d & 4) {
		store(half, (half)filled, d, fault);
		d += 4;
	}
	return d;
}

ALWAYS_INLINE byte *set_words(byte *d, word filled, size_t bytes)
{
	size_t whole = bytes & -(size_t)WORD_BYTES;

	d += whole;
	switch (whole / WORD_BYTES % 16) {
		ROWS_FROM_15(SET_UP, word);
	default:
		break;
	}
	return d;
}

void *c_fast_memset(void *dst, int value, size_t n)
{
	struct copy copy = { dst, NULL, (byte *)dst + n };
	byte *d = dst, *last = copy.end - 128;
	word filled;

	if (n < WORDS_LEAST_BYTES) {
		set_bytes(d, (byte)value, n);
		return dst;
	}
	filled = (byte)value * UINT64_C(0x0101010101010101);
	if (past_word(d))
		d = set_head(d, filled);
	while (d <= last) {
		STORE_4(filled, filled, filled, filled, 0);
		STORE_4(filled, filled, filled, filled, 32);
		STORE_4(filled, filled, filled, filled, 64);
		STORE_4(filled, filled, filled, filled, 96);
		d += 128;
		HIDE(d);
	}
	n = (size_t)(copy.end - d);
	copy.dst = set_words(d, filled, n);
	if (n % WORD_BYTES)
		copy_pieces(&copy, filled, n % WORD_BYTES);
	return dst;
}
