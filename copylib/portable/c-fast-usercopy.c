/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * c-fast, user copy, for the machines whose faults can be fixed up: the copy of c-fast-forward.h by
 * accesses that may fault, and it keeps the contract exactly. A group of words is stored in order,
 * and both pointers stay at its beginning until all are: a fault in it goes on there byte by byte,
 * up to the one that faults again. What that copies once more has been copied already.
 */
#include "copylib/user-access.h"

#ifdef COPY_HAS_USER_ACCESS

#define load(kind, value, address, label)  load_user_##kind(value, address, label)
#define store(kind, value, address, label) store_user_##kind(value, address, label)

#include "copylib/portable/c-fast-forward.h"
#include "copylib/variant.h"

size_t c_fast_usercopy(void *dst, const void *src, size_t n)
{
	struct copy copy = { dst, src, (byte *)dst + n };

	if (copy_forward(&copy, n))
		return 0;
	while (copy.dst < copy.end) {
		byte value;

		load(byte, value, copy.src, fault);
		store(byte, value, copy.dst, fault);
		copy.dst++;
		copy.src++;
	}
fault:
	return (size_t)(copy.end - copy.dst);
}

#endif
