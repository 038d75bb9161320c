/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * byte: one byte a turn, and nothing else. The slowest that is still reasonable; what the others
 * fall back to when they cannot do better.
 */
#include "copylib/portable/words.h"
#include "copylib/variant.h"

void *byte_memcpy(void *dst, const void *src, size_t n)
{
	const unsigned char *s = src;

	copy_bytes(dst, s, s + n);
	return dst;
}

void *byte_memmove(void *dst, const void *src, size_t n)
{
	unsigned char *d = (unsigned char *)dst + n;
	const unsigned char *s = (const unsigned char *)src + n;

	if (forward_is_safe(dst, src, n))
		return byte_memcpy(dst, src, n);
	while (d > (unsigned char *)dst) {
		d--;
		s--;
		*d = *s;
	}
	return dst;
}

void *byte_memset(void *dst, int value, size_t n)
{
	unsigned char *d = dst;
	const unsigned char *end = d + n;

	while (d < end) {
		*d = value;
		d++;
	}
	return dst;
}
