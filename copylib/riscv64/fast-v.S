/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fast-v: this project's own where there are vector registers. Two strips a turn, in groups of four
 * registers (of eight some cores are slow beyond their caches), while both are full; then strips of
 * what is left. All of a turn is loaded before any of it is stored, so memmove has to care only for
 * the order of the turns.
 *
 * The user copy keeps the contract exactly: after a fault in a turn it goes on from its beginning,
 * byte by byte, up to the one that faults again. Where in the turn that was, vstart would tell; but
 * not what a register holds that was being loaded, so nothing depends on it.
 *
 *   a0  destination, as returned; in the user copy its end	t0  bytes of a strip
 *   a1  source, or value					t1  of a full one	t2  of two
 *   a2  bytes that are left		a3  destination		t3, t4  second strip	t5  end of source
 */
#include "copylib/riscv64/routine.h"

#define src		a1
#define left		a2
#define dst		a3
#define strip		t0
#define full		t1
#define both		t2
#define src_2		t3
#define dst_2		t4
#define end		t5

	.option	arch, +v

/* An access of vector registers, and where to go on if it faults; nothing here does in memcpy. */
.macro vector_copy faults
	vsetvli	full, zero, e8, m4, ta, ma
	slli	both, full, 1
	bltu	left, both, .Lstrip\@
.Lturn\@:
	/* 10 instructions for two strips */
	add	src_2, src, full
	access	\faults, vle8.v v0, (src)
	access	\faults, vle8.v v4, (src_2)
	add	dst_2, dst, full
	add	src, src, both
	access	\faults, vse8.v v0, (dst)
	access	\faults, vse8.v v4, (dst_2)
	sub	left, left, both
	add	dst, dst, both
	bgeu	left, both, .Lturn\@
	beqz	left, .Ldone\@
.Lstrip\@:
	vsetvli	strip, left, e8, m4, ta, ma
	access	\faults, vle8.v v0, (src)
	add	src, src, strip
	sub	left, left, strip
	access	\faults, vse8.v v0, (dst)
	add	dst, dst, strip
	bnez	left, .Lstrip\@
.Ldone\@:
.endm

.macro access faults, instruction:vararg
.if \faults
	may_fault .Lfaulted, \instruction
.else
	\instruction
.endif
.endm

	function fast_v_memcpy
.Lmemcpy:
	mv	dst, a0
	vector_copy 0
	ret
	end_function fast_v_memcpy

	function fast_v_memmove
	sub	t0, a0, src
	bgeu	t0, left, .Lmemcpy
	add	src, src, left
	add	dst, a0, left
	vsetvli	full, zero, e8, m4, ta, ma
	slli	both, full, 1
	bltu	left, both, .Lback_strip
.Lback_turn:
	sub	src_2, src, full
	sub	src, src, both
	vle8.v	v0, (src_2)
	vle8.v	v4, (src)
	sub	dst_2, dst, full
	sub	dst, dst, both
	vse8.v	v0, (dst_2)
	vse8.v	v4, (dst)
	sub	left, left, both
	bgeu	left, both, .Lback_turn
	beqz	left, .Lback_done
.Lback_strip:
	vsetvli	strip, left, e8, m4, ta, ma
	sub	src, src, strip
	vle8.v	v0, (src)
	sub	left, left, strip
	sub	dst, dst, strip
	vse8.v	v0, (dst)
	bnez	left, .Lback_strip
.Lback_done:
	ret
	end_function fast_v_memmove

	function fast_v_memset
	mv	dst, a0
	vsetvli	full, zero, e8, m4, ta, ma
	vmv.v.x	v0, src
	slli	both, full, 1
	bltu	left, both, .Lset_strip
.Lset_turn:
	/* 6 instructions for two strips */
	add	dst_2, dst, full
	vse8.v	v0, (dst)
	vse8.v	v0, (dst_2)
	sub	left, left, both
	add	dst, dst, both
	bgeu	left, both, .Lset_turn
	beqz	left, .Lset_done
.Lset_strip:
	vsetvli	strip, left, e8, m4, ta, ma
	vse8.v	v0, (dst)
	sub	left, left, strip
	add	dst, dst, strip
	bnez	left, .Lset_strip
.Lset_done:
	ret
	end_function fast_v_memset

	function fast_v_usercopy
	mv	dst, a0
	add	a0, a0, left
	add	end, src, left
	vector_copy 1
	li	a0, 0
	ret
	/* The destination is where the turn began. */
.Lfaulted:
	csrw	vstart, zero
	sub	t0, a0, dst
	sub	src, end, t0
	bgeu	dst, a0, .Lresidue
.Lbyte:
	may_fault .Lresidue, lb	t0, 0(src)
	addi	src, src, 1
	may_fault .Lresidue, sb	t0, 0(dst)
	addi	dst, dst, 1
	bltu	dst, a0, .Lbyte
.Lresidue:
	sub	a0, a0, dst
	ret
	end_function fast_v_usercopy
