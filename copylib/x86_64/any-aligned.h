/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Words at any address, and the copies and fills that are shorter than a vector register. */
#ifndef COPYLIB_X86_64_ANY_ALIGNED_H
#define COPYLIB_X86_64_ANY_ALIGNED_H

#include <stddef.h>
#include <stdint.h>

#include <immintrin.h>

typedef uint16_t any16 __attribute__((aligned(1), may_alias));
typedef uint32_t any32 __attribute__((aligned(1), may_alias));
typedef uint64_t any64 __attribute__((aligned(1), may_alias));

/*
 * Below 32 bytes, as two words that may overlap. Both are loaded before either is stored, so the
 * buffers may overlap too.
 */
static inline void move_below_32(unsigned char *d, const unsigned char *s, size_t n)
{
	if (n >= 16) {
		__m128i first = _mm_loadu_si128((const __m128i *)(const void *)s);
		__m128i last = _mm_loadu_si128((const __m128i *)(const void *)(s + n - 16));

		_mm_storeu_si128((__m128i *)(void *)d, first);
		_mm_storeu_si128((__m128i *)(void *)(d + n - 16), last);
	} else if (n >= 8) {
		uint64_t first = *(const any64 *)s, last = *(const any64 *)(s + n - 8);

		*(any64 *)d = first;
		*(any64 *)(d + n - 8) = last;
	} else if (n >= 4) {
		uint32_t first = *(const any32 *)s, last = *(const any32 *)(s + n - 4);

		*(any32 *)d = first;
		*(any32 *)(d + n - 4) = last;
	} else if (n >= 2) {
		uint16_t first = *(const any16 *)s, last = *(const any16 *)(s + n - 2);

		*(any16 *)d = first;
		*(any16 *)(d + n - 2) = last;
	} else if (n == 1) {
		*d = *s;
	}
}

static inline void set_below_32(unsigned char *d, int value, size_t n)
{
	uint64_t filled = (unsigned char)value * UINT64_C(0x0101010101010101);

	if (n >= 16) {
		_mm_storeu_si128((__m128i *)(void *)d, _mm_set1_epi8((char)value));
		_mm_storeu_si128((__m128i *)(void *)(d + n - 16), _mm_set1_epi8((char)value));
	} else if (n >= 8) {
		*(any64 *)d = filled;
		*(any64 *)(d + n - 8) = filled;
	} else if (n >= 4) {
		*(any32 *)d = (uint32_t)filled;
		*(any32 *)(d + n - 4) = (uint32_t)filled;
	} else if (n >= 2) {
		*(any16 *)d = (uint16_t)filled;
		*(any16 *)(d + n - 2) = (uint16_t)filled;
	} else if (n == 1) {
		*d = (unsigned char)value;
	}
}

#endif
