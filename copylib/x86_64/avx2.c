/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * avx2: registers of 32 bytes, four a turn, to an aligned destination. The first and the last 32
 * bytes are copied apart, overlapping what the loop copies, so there is no byte loop at all.
 * memmove holds both in registers while the loop runs.
 */
#include "copylib/variant.h"
#include "copylib/x86_64/any-aligned.h"

#define VECTOR_BYTES 32
#define BLOCK_BYTES  128
#define AVX2	     __attribute__((target("avx2")))

static inline AVX2 __m256i load(const unsigned char *at)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

static inline AVX2 void store(unsigned char *at, __m256i vector)
{
	_mm256_storeu_si256((__m256i *)(void *)at, vector);
}

/* 32 bytes at least; forward is safe. */
static inline AVX2 void copy_forward(unsigned char *dst, const unsigned char *src, size_t n)
{
	__m256i first = load(src), last = load(src + n - VECTOR_BYTES);
	unsigned char *end = dst + n - VECTOR_BYTES;
	size_t head = VECTOR_BYTES - (uintptr_t)dst % VECTOR_BYTES;
	unsigned char *d = dst + head;
	const unsigned char *s = src + head;

	for (; (size_t)(end - d) + VECTOR_BYTES > BLOCK_BYTES && d < end; d += BLOCK_BYTES) {
		__m256i v0 = load(s);
		__m256i v1 = load(s + 32);
		__m256i v2 = load(s + 64);
		__m256i v3 = load(s + 96);

		store(d, v0);
		store(d + 32, v1);
		store(d + 64, v2);
		store(d + 96, v3);
		s += BLOCK_BYTES;
	}
	for (; d < end; d += VECTOR_BYTES, s += VECTOR_BYTES)
		store(d, load(s));
	store(dst, first);
	store(end, last);
}

/* 32 bytes at least; the destination begins inside the source. */
static inline AVX2 void copy_backward(unsigned char *dst, const unsigned char *src, size_t n)
{
	__m256i first = load(src), last = load(src + n - VECTOR_BYTES);
	unsigned char *d = dst + n - ((uintptr_t)dst + n) % VECTOR_BYTES;
	const unsigned char *s = src + (d - dst);

	for (; d - dst > BLOCK_BYTES; d -= BLOCK_BYTES) {
		__m256i v0 = load(s - 32);
		__m256i v1 = load(s - 64);
		__m256i v2 = load(s - 96);
		__m256i v3 = load(s - 128);

		store(d - 32, v0);
		store(d - 64, v1);
		store(d - 96, v2);
		store(d - 128, v3);
		s -= BLOCK_BYTES;
	}
	for (; d - dst > VECTOR_BYTES; d -= VECTOR_BYTES, s -= VECTOR_BYTES)
		store(d - VECTOR_BYTES, load(s - VECTOR_BYTES));
	store(dst + n - VECTOR_BYTES, last);
	store(dst, first);
}

AVX2 void *avx2_memcpy(void *dst, const void *src, size_t n)
{
	if (n < VECTOR_BYTES)
		move_below_32(dst, src, n);
	else
		copy_forward(dst, src, n);
	return dst;
}

AVX2 void *avx2_memmove(void *dst, const void *src, size_t n)
{
	if (n < VECTOR_BYTES)
		move_below_32(dst, src, n);
	else if ((uintptr_t)dst - (uintptr_t)src >= n)
		copy_forward(dst, src, n);
	else
		copy_backward(dst, src, n);
	return dst;
}

AVX2 void *avx2_memset(void *dst, int value, size_t n)
{
	unsigned char *d = dst;
	__m256i filled = _mm256_set1_epi8((char)value);
	unsigned char *end = d + n - VECTOR_BYTES;

	if (n < VECTOR_BYTES) {
		set_below_32(d, value, n);
		return dst;
	}
	for (; d < end; d += VECTOR_BYTES)
		store(d, filled);
	store(end, filled);
	return dst;
}
