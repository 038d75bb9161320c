/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usercopy-words: 8 words a turn if source and destination lie equally far past a word boundary,
 * else bytes, or words of 4 bytes where everything fits.
 */
#include "copylib/variant.h"
#include "copylib/x86_64/user-access.h"

#define BLOCK_BYTES 64

static inline bool user_halves(struct user_copy *copy)
{
	while (copy->dst < copy->end) {
		half_word value;

		load_user_half(value, copy->src, fault);
		copy->src += 4;
		store_user_half(value, copy->dst, fault);
		copy->dst += 4;
	}
	return true;
fault:
	return false;
}

size_t usercopy_words_usercopy(void *dst, const void *src, size_t n)
{
	struct user_copy copy = { dst, src, (unsigned char *)dst + n };

	if (n >= BLOCK_BYTES && co_aligned(dst, src) && !(user_head(&copy) && user_blocks(&copy)))
		return user_residue(&copy);
	if ((((uintptr_t)copy.dst | (uintptr_t)copy.src | (uintptr_t)copy.end) & 3) == 0)
		user_halves(&copy);
	else
		user_bytes(&copy, copy.end);
	return user_residue(&copy);
}
