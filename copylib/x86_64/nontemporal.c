/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * nontemporal: stores that go past the caches, 64 bytes a turn, to an aligned destination; ordered
 * before what follows by a fence. Below a block, ordinary words.
 */
#include "copylib/variant.h"
#include "copylib/x86_64/any-aligned.h"

#define VECTOR_BYTES 16
#define BLOCK_BYTES  64

static inline __m128i load(const unsigned char *at)
{
	return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline void store(unsigned char *at, __m128i vector)
{
	_mm_storeu_si128((__m128i *)(void *)at, vector);
}

static inline void stream(unsigned char *at, __m128i vector)
{
	_mm_stream_si128((__m128i *)(void *)at, vector);
}

void *nontemporal_memcpy(void *dst, const void *src, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *s = src;
	unsigned char *end = d + n;

	if (n >= BLOCK_BYTES) {
		size_t head = -(uintptr_t)d % VECTOR_BYTES;

		store(d, load(s));
		for (d += head, s += head; end - d >= BLOCK_BYTES; d += BLOCK_BYTES) {
			stream(d, load(s));
			stream(d + 16, load(s + 16));
			stream(d + 32, load(s + 32));
			stream(d + 48, load(s + 48));
			s += BLOCK_BYTES;
		}
		_mm_sfence();
	}
	for (; end - d >= VECTOR_BYTES; d += VECTOR_BYTES, s += VECTOR_BYTES)
		store(d, load(s));
	move_below_32(d, s, (size_t)(end - d));
	return dst;
}

void *nontemporal_memset(void *dst, int value, size_t n)
{
	unsigned char *d = dst;
	unsigned char *end = d + n;
	__m128i filled = _mm_set1_epi8((char)value);

	if (n >= BLOCK_BYTES) {
		store(d, filled);
		for (d += -(uintptr_t)d % VECTOR_BYTES; end - d >= BLOCK_BYTES; d += BLOCK_BYTES) {
			stream(d, filled);
			stream(d + 16, filled);
			stream(d + 32, filled);
			stream(d + 48, filled);
		}
		_mm_sfence();
	}
	for (; end - d >= VECTOR_BYTES; d += VECTOR_BYTES)
		store(d, filled);
	set_below_32(d, value, (size_t)(end - d));
	return dst;
}
