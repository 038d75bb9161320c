/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Access: loads of big-endian numbers from packets, none of them misaligned. Two bodies: bytes and
 * shifts work at every address; loads of 16 bits need an even one, and save instructions where the
 * CPU can turn bytes around (Zbb). For riscv64 without Zbb the shifts take fewer instructions, and
 * for x86-64 the compiler makes one load of them. memcpy() into a variable, the usual advice, is
 * the worst of all for gcc on riscv64: bytes to the stack, and a word from there.
 */
#ifndef NETBENCH_PACKET_ACCESS_H
#define NETBENCH_PACKET_ACCESS_H

#include <stdint.h>

enum access { ACCESS_BYTES, ACCESS_HALVES };

/* What takes the fewest instructions on the machine that this is built for. */
#ifdef __riscv_zbb
#define ACCESS_BEST ACCESS_HALVES
#else
#define ACCESS_BEST ACCESS_BYTES
#endif

/* Of these two, what is not chosen costs nothing: access is a constant where they are used. */
struct access_half {
	uint16_t value;
} __attribute__((packed, aligned(2), may_alias));

static inline uint16_t access_16(const uint8_t *at, enum access access)
{
	if (access == ACCESS_HALVES)
		return __builtin_bswap16(((const struct access_half *)(const void *)at)->value);
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t access_32(const uint8_t *at, enum access access)
{
	if (access == ACCESS_HALVES)
		return (uint32_t)access_16(at, access) << 16 | access_16(at + 2, access);
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

#endif
