/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * rvv-m1, rvv-m4, rvv-m8: a vector strip loop; they differ in how many registers are a group.
 *
 *   a0  destination, as returned	a2  bytes that are left		t0  bytes of this strip
 *   a1  source, advanced		a3  destination, advanced	v0 - v7  the strip
 *
 * A strip is loaded whole before any of it is stored, so memmove has to care only for the order of
 * the strips.
 */
#ifndef COPYLIB_RISCV64_RVV_H
#define COPYLIB_RISCV64_RVV_H

#include "copylib/riscv64/routine.h"

#define src		a1
#define left		a2
#define dst		a3
#define strip		t0

.macro rvv_routines prefix, group
	.option	push
	.option	arch, +v

	function \prefix\()_memcpy
	mv	dst, a0
.Lforward_\prefix:
	/* 7 instructions a strip */
	vsetvli	strip, left, e8, \group, ta, ma
	vle8.v	v0, (src)
	add	src, src, strip
	sub	left, left, strip
	vse8.v	v0, (dst)
	add	dst, dst, strip
	bnez	left, .Lforward_\prefix
	ret
	end_function \prefix\()_memcpy

	function \prefix\()_memmove
	mv	dst, a0
	sub	t1, a0, src
	bgeu	t1, left, .Lforward_\prefix
	add	src, src, left
	add	dst, dst, left
.Lbackward_\prefix:
	vsetvli	strip, left, e8, \group, ta, ma
	sub	src, src, strip
	vle8.v	v0, (src)
	sub	left, left, strip
	sub	dst, dst, strip
	vse8.v	v0, (dst)
	bnez	left, .Lbackward_\prefix
	ret
	end_function \prefix\()_memmove

	function \prefix\()_memset
	mv	dst, a0
	vsetvli	strip, left, e8, \group, ta, ma
	vmv.v.x	v0, a1
.Lset_\prefix:
	vsetvli	strip, left, e8, \group, ta, ma
	vse8.v	v0, (dst)
	sub	left, left, strip
	add	dst, dst, strip
	bnez	left, .Lset_\prefix
	ret
	end_function \prefix\()_memset

	.option	pop
.endm

#endif
