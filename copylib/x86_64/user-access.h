/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loads and stores that may fault, for user copies in C: each has an entry in the fix-up table (see
 * copylib/usercopy.h) that goes on at a label of the function. The user copies of the literature
 * are for riscv64; here are the same loops, to be tried where people sit.
 */
#ifndef COPYLIB_X86_64_USER_ACCESS_H
#define COPYLIB_X86_64_USER_ACCESS_H

#include "copylib/portable/words.h"

#define USER_FIXUP(label)                                                        \
	".pushsection copylib_fixups, \"a\"\n.balign 4\n.long 1b - ., %l[" label \
	"] - .\n.popsection"

#define USER_LOAD(instruction, type, constraint, value, address, label)       \
	__asm__ goto("1: " instruction " %[from], %[to]\n" USER_FIXUP(#label) \
		     : [to] constraint(value)                                 \
		     : [from] "m"(*(const type *)(address))                   \
		     : "memory"                                               \
		     : label)
#define USER_STORE(instruction, type, value, address, label)                  \
	__asm__ goto("1: " instruction " %[from], %[to]\n" USER_FIXUP(#label) \
		     :                                                        \
		     : [from] "r"(value), [to] "m"(*(type *)(address))        \
		     : "memory"                                               \
		     : label)

#define load_user_byte(value, address, label) \
	USER_LOAD("movb", unsigned char, "=q", value, address, label)
#define load_user_quarter(value, address, label) \
	USER_LOAD("movw", quarter_word, "=r", value, address, label)
#define load_user_half(value, address, label) \
	USER_LOAD("movl", half_word, "=r", value, address, label)
#define load_user_word(value, address, label) USER_LOAD("movq", word, "=r", value, address, label)
#define store_user_byte(value, address, label) \
	USER_STORE("movb", unsigned char, value, address, label)
#define store_user_quarter(value, address, label) \
	USER_STORE("movw", quarter_word, value, address, label)
#define store_user_half(value, address, label) USER_STORE("movl", half_word, value, address, label)
#define store_user_word(value, address, label) USER_STORE("movq", word, value, address, label)

/* What a user copy is doing: all that a fault has to know. */
struct user_copy {
	unsigned char *dst;
	const unsigned char *src;
	unsigned char *end; /* of the destination */
};

/* Each of these advances both pointers, and returns false where a fault broke it off. */

/* Bytes until the destination is at a limit. */
static inline bool user_bytes(struct user_copy *copy, const unsigned char *limit)
{
	while (copy->dst < limit) {
		unsigned char byte;

		load_user_byte(byte, copy->src, fault);
		copy->src++;
		store_user_byte(byte, copy->dst, fault);
		copy->dst++;
	}
	return true;
fault:
	return false;
}

static inline bool user_head(struct user_copy *copy)
{
	return user_bytes(copy, copy->dst + -(uintptr_t)copy->dst % WORD_BYTES);
}

/* Both aligned: single words while one remains. */
static inline bool user_words(struct user_copy *copy)
{
	while (copy->end - copy->dst >= WORD_BYTES) {
		word value;

		load_user_word(value, copy->src, fault);
		copy->src += WORD_BYTES;
		store_user_word(value, copy->dst, fault);
		copy->dst += WORD_BYTES;
	}
	return true;
fault:
	return false;
}

/* Both aligned: 8 words a turn while a block remains; the destination is advanced at its end. */
static inline bool user_blocks(struct user_copy *copy)
{
	while (copy->end - copy->dst >= 8 * WORD_BYTES) {
		word w0, w1, w2, w3, w4, w5, w6, w7;

		load_user_word(w0, copy->src, fault);
		load_user_word(w1, copy->src + 8, fault);
		load_user_word(w2, copy->src + 16, fault);
		load_user_word(w3, copy->src + 24, fault);
		load_user_word(w4, copy->src + 32, fault);
		load_user_word(w5, copy->src + 40, fault);
		load_user_word(w6, copy->src + 48, fault);
		load_user_word(w7, copy->src + 56, fault);
		copy->src += 8 * WORD_BYTES;
		store_user_word(w0, copy->dst, fault);
		store_user_word(w1, copy->dst + 8, fault);
		store_user_word(w2, copy->dst + 16, fault);
		store_user_word(w3, copy->dst + 24, fault);
		store_user_word(w4, copy->dst + 32, fault);
		store_user_word(w5, copy->dst + 40, fault);
		store_user_word(w6, copy->dst + 48, fault);
		store_user_word(w7, copy->dst + 56, fault);
		copy->dst += 8 * WORD_BYTES;
	}
	return true;
fault:
	return false;
}

/* Destination aligned, source not: merges words while one remains. */
static inline bool user_merge(struct user_copy *copy)
{
	size_t past = past_word(copy->src);
	const unsigned char *s = copy->src - past;
	word current, out;

	if (copy->end - copy->dst < WORD_BYTES)
		return true;
	load_user_word(current, s, fault);
	while (copy->end - copy->dst >= WORD_BYTES) {
		out = current >> 8 * past;
		load_user_word(current, s + WORD_BYTES, fault);
		s += WORD_BYTES;
		out |= current << 8 * (WORD_BYTES - past);
		store_user_word(out, copy->dst, fault);
		copy->dst += WORD_BYTES;
	}
	copy->src = s + past;
	return true;
fault:
	return false;
}

static inline size_t user_residue(const struct user_copy *copy)
{
	return (size_t)(copy->end - copy->dst);
}

#endif
