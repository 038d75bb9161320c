/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usercopy-shift: mainline's user copy from 5.14 on. The destination is aligned first; then 8 words
 * a turn if the source is aligned by that, else shift and merge; then bytes.
 */
#include "copylib/variant.h"
#include "copylib/x86_64/user-access.h"

#define WORDS_LEAST_BYTES 71

size_t usercopy_shift_usercopy(void *dst, const void *src, size_t n)
{
	struct user_copy copy = { dst, src, (unsigned char *)dst + n };

	if (n >= WORDS_LEAST_BYTES) {
		if (!user_head(&copy))
			return user_residue(&copy);
		if (!(past_word(copy.src) ? user_merge(&copy) : user_blocks(&copy)))
			return user_residue(&copy);
	}
	user_bytes(&copy, copy.end);
	return user_residue(&copy);
}
