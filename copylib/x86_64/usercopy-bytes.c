/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usercopy-bytes: the user copy of mainline before 5.14. One word a turn if source and destination
 * lie equally far past a word boundary, else bytes.
 */
#include "copylib/variant.h"
#include "copylib/x86_64/user-access.h"

size_t usercopy_bytes_usercopy(void *dst, const void *src, size_t n)
{
	struct user_copy copy = { dst, src, (unsigned char *)dst + n };

	if (co_aligned(dst, src) && n >= WORD_BYTES && !(user_head(&copy) && user_words(&copy)))
		return user_residue(&copy);
	user_bytes(&copy, copy.end);
	return user_residue(&copy);
}
