/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Words as the portable routines use them: 8 bytes, only ever loaded and stored at their own
 * alignment.
 */
#ifndef COPYLIB_PORTABLE_WORDS_H
#define COPYLIB_PORTABLE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORD_BYTES 8

/* They may overlay objects of any type. */
typedef uint64_t word __attribute__((may_alias));
typedef uint32_t half_word __attribute__((may_alias));
typedef uint16_t quarter_word __attribute__((may_alias));

/* How many bytes an address lies past a word boundary. */
static inline size_t past_word(const void *address)
{
	return (uintptr_t)address % WORD_BYTES;
}

static inline bool co_aligned(const void *dst, const void *src)
{
	return ((uintptr_t)dst ^ (uintptr_t)src) % WORD_BYTES == 0;
}

/* True if a copy that runs forward reads every byte before it writes over it. */
static inline bool forward_is_safe(const void *dst, const void *src, size_t n)
{
	return (uintptr_t)dst - (uintptr_t)src >= n;
}

static inline word load_word(const void *aligned)
{
	return *(const word *)aligned;
}

static inline void store_word(void *aligned, word value)
{
	*(word *)aligned = value;
}

/* All are loaded before the first is stored. */
static inline void copy_8_words(unsigned char *d, const unsigned char *s)
{
	word w0 = load_word(s);
	word w1 = load_word(s + 8);
	word w2 = load_word(s + 16);
	word w3 = load_word(s + 24);
	word w4 = load_word(s + 32);
	word w5 = load_word(s + 40);
	word w6 = load_word(s + 48);
	word w7 = load_word(s + 56);

	store_word(d, w0);
	store_word(d + 8, w1);
	store_word(d + 16, w2);
	store_word(d + 24, w3);
	store_word(d + 32, w4);
	store_word(d + 40, w5);
	store_word(d + 48, w6);
	store_word(d + 56, w7);
}

/*
 * One byte a turn while `s` is below `end`, in the five instructions that assembly takes, or close
 * to them: with *d++ = *s++ clang adds a move.
 */
static inline void copy_bytes(unsigned char *d, const unsigned char *s, const unsigned char *end)
{
	while (s < end) {
		*d = *s;
		s++;
		d++;
	}
}

/* A word of eight times the low byte of a value. */
static inline word replicate(int value)
{
	return (unsigned char)value * UINT64_C(0x0101010101010101);
}

#endif
