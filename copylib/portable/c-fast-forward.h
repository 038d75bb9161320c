/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-fast, the copy that runs forward, of which memcpy and the user copy are made.
 *
 * No access is misaligned, and nothing is read but aligned words that hold a byte of the source.
 * Below 16 bytes, half words where both buffers allow them, else bytes. From there on the
 * destination is aligned first. If the source is aligned by that, words follow, 16 a turn and then
 * as many as are left; else each is merged from two words of the source, which are loaded once:
 * eight a turn, then four, two, one. The last bytes are pieces of one word. Where a count chooses,
 * it is a switch into a row of accesses that fall through, so no loop has to count.
 *
 * All of it runs upward, and each word is loaded before the first store that reaches it, so a
 * destination that overlaps the source from below is right too.
 */
#ifndef COPYLIB_PORTABLE_C_FAST_FORWARD_H
#define COPYLIB_PORTABLE_C_FAST_FORWARD_H

#include "copylib/portable/c-fast.h"

/*
 * What is yet to be copied. Where a fault breaks off a group of accesses, it begins with that
 * group.
 */
struct copy {
	byte *dst;
	const byte *src;
	byte *end; /* of the destination */
};

/* Each returns false where a fault broke it off; what others follow leaves them where to go on. */

/* Below 16 bytes, one by one. */
ALWAYS_INLINE bool copy_bytes_row(struct copy *copy, size_t bytes)
{
	byte *d = copy->dst + bytes;
	const byte *s = copy->src + bytes;

	switch (bytes) {
		ROWS_FROM_15(COPY_UP, byte);
	default:
		break;
	}
	copy->dst = d;
	copy->src = s;
	return true;
fault:
	__attribute__((unused));
	return false;
}

/* The first bytes of a word, below 8, to an aligned destination. */
ALWAYS_INLINE bool copy_pieces(struct copy *copy, word value, size_t bytes)
{
	byte *d = copy->dst;

	switch (bytes) {
	case 7:
		store(half, PIECE(half, value, 0), d, fault);
		store(quarter, PIECE(quarter, value, 4), d + 4, fault);
		store(byte, PIECE(byte, value, 6), d + 6, fault);
		break;
	case 6:
		store(half, PIECE(half, value, 0), d, fault);
		store(quarter, PIECE(quarter, value, 4), d + 4, fault);
		break;
	case 5:
		store(half, PIECE(half, value, 0), d, fault);
		store(byte, PIECE(byte, value, 4), d + 4, fault);
		break;
	case 4:
		store(half, PIECE(half, value, 0), d, fault);
		break;
	case 3:
		store(quarter, PIECE(quarter, value, 0), d, fault);
		store(byte, PIECE(byte, value, 2), d + 2, fault);
		break;
	case 2:
		store(quarter, PIECE(quarter, value, 0), d, fault);
		break;
	case 1:
		store(byte, PIECE(byte, value, 0), d, fault);
		break;
	default:
		break;
	}
	return true;
fault:
	__attribute__((unused));
	return false;
}

/* Below 16 bytes. */
ALWAYS_INLINE bool copy_small(struct copy *copy, size_t bytes)
{
	byte *d = copy->dst;
	const byte *s = copy->src;

	if (bytes < 4) {
		if (bytes == 0)
			return true;
		COPY(byte, 0);
		if (bytes == 1)
			return true;
		COPY(byte, 1);
		if (bytes == 3)
			COPY(byte, 2);
		return true;
	}
	if (((uintptr_t)d | (uintptr_t)s) % sizeof(half))
		return copy_bytes_row(copy, bytes);
	if (bytes & 8) {
		COPY(half, 0);
		COPY(half, 4);
		d += 8;
		s += 8;
	}
	if (bytes & 4) {
		COPY(half, 0);
		d += 4;
		s += 4;
	}
	if (bytes & 2) {
		COPY(quarter, 0);
		d += 2;
		s += 2;
	}
	if (bytes & 1)
		COPY(byte, 0);
	return true;
fault:
	__attribute__((unused));
	return false;
}

/* Equally far past a word: aligns both. */
ALWAYS_INLINE bool copy_head(struct copy *copy)
{
	byte *d = copy->dst;
	const byte *s = copy->src;

	if ((uintptr_t)d & 1) {
		COPY(byte, 0);
		d += 1;
		s += 1;
	}
	HIDE(d);
	if ((uintptr_t)d & 2) {
		COPY(quarter, 0);
		d += 2;
		s += 2;
	}
	HIDE(d);
	if ((uintptr_t)d & 4) {
		COPY(half, 0);
		d += 4;
		s += 4;
	}
	copy->dst = d;
	copy->src = s;
	return true;
fault:
	__attribute__((unused));
	return false;
}

/* Both aligned: 16 words a turn while so many are left. */
ALWAYS_INLINE bool copy_blocks(struct copy *copy)
{
	byte *d = copy->dst, *last = copy->end - 128;
	const byte *s = copy->src;
	word w0, w1, w2, w3, w4, w5, w6, w7;

	while (d <= last) {
		LOAD_4(w0, w1, w2, w3, 0);
		LOAD_4(w4, w5, w6, w7, 32);
		STORE_4(w0, w1, w2, w3, 0);
		STORE_4(w4, w5, w6, w7, 32);
		LOAD_4(w0, w1, w2, w3, 64);
		LOAD_4(w4, w5, w6, w7, 96);
		STORE_4(w0, w1, w2, w3, 64);
		STORE_4(w4, w5, w6, w7, 96);
		d += 128;
		HIDE(d);
		s += 128;
	}
	copy->dst = d;
	copy->src = s;
	return true;
fault:
	__attribute__((unused));
	copy->dst = d;
	copy->src = s;
	return false;
}

/* Both aligned: the words that are left, below 16. */
ALWAYS_INLINE bool copy_words_row(struct copy *copy, size_t bytes)
{
	size_t whole = bytes & -(size_t)WORD_BYTES;
	byte *d = copy->dst + whole;
	const byte *s = copy->src + whole;

	switch (whole / WORD_BYTES % 16) {
		ROWS_FROM_15(COPY_UP, word);
	default:
		break;
	}
	copy->dst = d;
	copy->src = s;
	return true;
fault:
	__attribute__((unused));
	return false;
}

ALWAYS_INLINE bool copy_aligned(struct copy *copy)
{
	size_t bytes;
	word last;

	if (past_word(copy->dst) && !copy_head(copy))
		return false;
	if (!copy_blocks(copy))
		return false;
	bytes = (size_t)(copy->end - copy->dst);
	if (!copy_words_row(copy, bytes))
		return false;
	bytes %= WORD_BYTES;
	if (bytes == 0)
		return true;
	load(word, last, copy->src, fault);
	return copy_pieces(copy, last, bytes);
fault:
	__attribute__((unused));
	return false;
}

/*
 * Destination aligned, source past a word. Between the steps, w0 is the last word that was loaded,
 * in which the next byte lies.
 */
ALWAYS_INLINE bool copy_merged(struct copy *copy)
{
	unsigned int to_first = 8 * past_word(copy->src), to_last = 64 - to_first;
	byte *d = copy->dst, *last = copy->end - 64;
	const byte *s = copy->src - past_word(copy->src);
	word w0, w1, w2, w3, w4, w5, w6, w7;
	size_t bytes;

	load(word, w0, s, fault);
	while (d <= last) {
		LOAD_4(w1, w2, w3, w4, 8);
		MERGE_4(w0, w1, w2, w3, w4, 0);
		LOAD_4(w5, w6, w7, w0, 40);
		MERGE_4(w4, w5, w6, w7, w0, 32);
		HIDE(w0);
		HIDE(s);
		d += 64;
		s += 64;
		HIDE(d);
	}
	bytes = (size_t)(last - d); /* modulo 64 */
	if (bytes & 32) {
		LOAD_4(w1, w2, w3, w4, 8);
		MERGE_4(w0, w1, w2, w3, w4, 0);
		w0 = w4;
		d += 32;
		s += 32;
	}
	if (bytes & 16) {
		LOAD_2(w1, w2, 8);
		MERGE_2(w0, w1, w2, 0);
		w0 = w2;
		d += 16;
		s += 16;
	}
	if (bytes & 8) {
		load(word, w1, s + 8, fault);
		store(word, MERGED(w0, w1), d, fault);
		w0 = w1;
		d += 8;
		s += 8;
	}
	bytes %= WORD_BYTES;
	if (bytes == 0)
		return true;
	w0 = TO_FIRST(w0, to_first);
	if (8 * (unsigned int)bytes > to_last) {
		load(word, w1, s + 8, fault);
		w0 |= TO_LAST(w1, to_last);
	}
	copy->dst = d;
	copy->src = s + to_first / 8;
	return copy_pieces(copy, w0, bytes);
fault:
	__attribute__((unused));
	copy->dst = d;
	copy->src = s + to_first / 8;
	return false;
}

ALWAYS_INLINE bool copy_forward(struct copy *copy, size_t bytes)
{
	if (bytes < WORDS_LEAST_BYTES)
		return copy_small(copy, bytes);
	if (past_word(copy->dst) == past_word(copy->src))
		return copy_aligned(copy);
	if (past_word(copy->dst) && !copy_bytes_row(copy, -(uintptr_t)copy->dst % WORD_BYTES))
		return false;
	return copy_merged(copy);
}

#endif
