/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a file that defines a variant includes: the prototype of every variant's functions, made
 * from variants.def. A prototype whose function a variant does not have is never used.
 */
#ifndef COPYLIB_VARIANT_H
#define COPYLIB_VARIANT_H

#include "copylib/copylib.h"

#define VARIANT(name, prefix, credit, year, functions, architectures, needs, summary) \
	copy_memcpy_fn prefix##_memcpy;                                               \
	copy_memmove_fn prefix##_memmove;                                             \
	copy_memset_fn prefix##_memset;                                               \
	copy_usercopy_fn prefix##_usercopy;
#include "copylib/variants.def"

#endif
