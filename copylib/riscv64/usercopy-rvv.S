/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usercopy-rvv: mainline's user copy from 6.8 on, where the CPU has V. From 768 bytes on a strip
 * loop over groups of eight registers, below and after a fault usercopy-shift, which then finds the
 * exact byte. What a store had done when it faulted is told by vstart.
 */
#include "copylib/riscv64/usercopy.h"

#define VECTOR_LEAST_BYTES 768

#define strip		t0

	function usercopy_rvv_usercopy
	.option	push
	.option	arch, +v
	li	a5, VECTOR_LEAST_BYTES
	bltu	left, a5, .Lscalar
.Lstrip:
	/* 7 instructions a strip */
	vsetvli	strip, left, e8, m8, ta, ma
	may_fault .Lload_fault, vle8.v	v0, (src)
	add	src, src, strip
	may_fault .Lstore_fault, vse8.v	v0, (dst)
	sub	left, left, strip
	add	dst, dst, strip
	bnez	left, .Lstrip
	li	a0, 0
	ret
.Lstore_fault:
	/* The source has been advanced by the strip, the destination not. */
	csrr	a5, vstart
	sub	src, src, strip
	add	src, src, a5
	add	dst, dst, a5
	sub	left, left, a5
.Lload_fault:
	csrw	vstart, zero
.Lscalar:
	.option	pop
	usercopy_shift_body
	end_function usercopy_rvv_usercopy
