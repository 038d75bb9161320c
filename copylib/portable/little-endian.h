/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* For a routine that merges two words by shifts, and was published for one order of bytes. */
#ifndef COPYLIB_PORTABLE_LITTLE_ENDIAN_H
#define COPYLIB_PORTABLE_LITTLE_ENDIAN_H

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "this shift-and-merge routine is written for little-endian machines"
#endif

#endif
