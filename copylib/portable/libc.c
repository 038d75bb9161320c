/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libc: what the C library of this machine picks. Each is one jump away from it.
 */
#include <string.h>

#include "copylib/variant.h"

void *libc_memcpy(void *dst, const void *src, size_t n)
{
	return memcpy(dst, src, n);
}

void *libc_memmove(void *dst, const void *src, size_t n)
{
	return memmove(dst, src, n);
}

void *libc_memset(void *dst, int value, size_t n)
{
	return memset(dst, value, n);
}
