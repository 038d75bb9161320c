/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The accesses of this machine that may fault, for user copies in C:
 *
 *   load_user_KIND(value, address, label)	of a word, half, quarter or byte
 *   store_user_KIND(value, address, label)
 *
 * A fault goes on at the label, a label of the function. Where there is no machine file,
 * COPY_HAS_USER_ACCESS is not defined.
 */
#ifndef COPYLIB_USER_ACCESS_H
#define COPYLIB_USER_ACCESS_H

#if defined(__riscv)
#define COPY_HAS_USER_ACCESS
#include "copylib/riscv64/user-access.h"
#elif defined(__x86_64__)
#define COPY_HAS_USER_ACCESS
#include "copylib/x86_64/user-access.h"
#endif

#endif
