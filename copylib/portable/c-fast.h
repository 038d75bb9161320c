/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-fast, what its functions are made of: accesses by themselves, in groups, and in rows; and words
 * by the order of their bytes in memory, whichever that is. Whoever includes this says first how an
 * access is made, and that one which faults goes on at the label:
 *
 *   load(kind, value, address, label)	kind is byte, quarter, half or word
 *   store(kind, value, address, label)
 */
#ifndef COPYLIB_PORTABLE_C_FAST_H
#define COPYLIB_PORTABLE_C_FAST_H

#include "copylib/portable/words.h"

#define WORDS_LEAST_BYTES 16 /* below it, no words */

/* The kinds of an access. */
typedef unsigned char byte;
typedef quarter_word quarter;
typedef half_word half;

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define FALLTHROUGH   __attribute__((fallthrough))

/*
 * Makes no code, and hides from the compiler how a value came about. gcc would else keep it twice,
 * a pointer as a number too, and compute anew after a loop where that has left it.
 */
#define HIDE(value) __asm__("" : "+r"(value))

/*
 * Of a word, in the order of memory: the piece that begins so many bytes after its first one, in
 * the low bits; and the word moved by so many bits (below 64) towards its first byte or its last.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PIECE(kind, value, at) ((kind)((value) >> 8 * (at)))
#define TO_FIRST(value, bits)  ((value) >> (bits))
#define TO_LAST(value, bits)   ((value) << (bits))
#else
#define PIECE(kind, value, at) ((kind)((value) >> 8 * (WORD_BYTES - (at) - sizeof(kind))))
#define TO_FIRST(value, bits)  ((value) << (bits))
#define TO_LAST(value, bits)   ((value) >> (bits))
#endif

/* The 8 bytes that begin in the first word, by the shifts of a source past a word. */
#define MERGED(first, second) (TO_FIRST(first, to_first) | TO_LAST(second, to_last))

/* In every function, d and s are the two pointers, and a fault goes on at its label fault. */
#define COPY(kind, at)                                 \
	do {                                           \
		kind copied_;                          \
		load(kind, copied_, s + (at), fault);  \
		store(kind, copied_, d + (at), fault); \
	} while (0)
#define LOAD_2(first, second, at)                        \
	do {                                             \
		load(word, first, s + (at), fault);      \
		load(word, second, s + (at) + 8, fault); \
	} while (0)
#define STORE_2(first, second, at)                        \
	do {                                              \
		store(word, first, d + (at), fault);      \
		store(word, second, d + (at) + 8, fault); \
	} while (0)
#define LOAD_4(first, second, third, fourth, at)  \
	do {                                      \
		LOAD_2(first, second, at);        \
		LOAD_2(third, fourth, (at) + 16); \
	} while (0)
#define STORE_4(first, second, third, fourth, at)  \
	do {                                       \
		STORE_2(first, second, at);        \
		STORE_2(third, fourth, (at) + 16); \
	} while (0)

/* Stores what begins in the first of three words, or five. */
#define MERGE_2(w_a, w_b, w_c, at) STORE_2(MERGED(w_a, w_b), MERGED(w_b, w_c), at)
#define MERGE_4(w_a, w_b, w_c, w_d, w_e, at)       \
	do {                                       \
		MERGE_2(w_a, w_b, w_c, at);        \
		MERGE_2(w_c, w_d, w_e, (at) + 16); \
	} while (0)

/* The cases of a switch by a count: a row of accesses, each of which falls to the next. */
#define ROWS_FROM_15(row, kind) \
	row(kind, 15);          \
	row(kind, 14);          \
	row(kind, 13);          \
	row(kind, 12);          \
	row(kind, 11);          \
	row(kind, 10);          \
	row(kind, 9);           \
	row(kind, 8);           \
	row(kind, 7);           \
	row(kind, 6);           \
	row(kind, 5);           \
	row(kind, 4);           \
	row(kind, 3);           \
	row(kind, 2);           \
	row(kind, 1)
#define COPY_UP(kind, count)                              \
	case count:                                       \
		COPY(kind, -(count) * (int)sizeof(kind)); \
		FALLTHROUGH

#endif
