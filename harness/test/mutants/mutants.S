/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Routines with one mistake each, which the judge has to find. What is right about them is a copy
 * byte by byte:
 *
 *   a0  destination, as returned	a1  source, advanced	a2  bytes that are left
 *   a3  destination, advanced		a4  scratch
 */
#include "copylib/riscv64/routine.h"

/* Copies a2 bytes forward. */
.macro copy_bytes
	beqz	a2, .Ldone\@
.Lbyte\@:
	lb	a4, 0(a1)
	addi	a1, a1, 1
	sb	a4, 0(a3)
	addi	a3, a3, 1
	addi	a2, a2, -1
	bnez	a2, .Lbyte\@
.Ldone\@:
.endm

	/* No mistake: the control. */
	function control_memcpy
	mv	a3, a0
	copy_bytes
	ret
	end_function control_memcpy

	function dropped_tail_memcpy
	mv	a3, a0
	andi	a2, a2, -8
	copy_bytes
	ret
	end_function dropped_tail_memcpy

	function byte_past_end_memcpy
	mv	a3, a0
	copy_bytes
	sb	zero, 0(a3)
	ret
	end_function byte_past_end_memcpy

	function byte_before_start_memcpy
	mv	a3, a0
	sb	zero, -1(a0)
	copy_bytes
	ret
	end_function byte_before_start_memcpy

	/* A whole word beyond the one that holds the last byte. */
	function reads_word_past_end_memcpy
	mv	a3, a0
	add	a4, a1, a2
	addi	a4, a4, 7
	andi	a4, a4, -8
	ld	a4, 0(a4)
	copy_bytes
	ret
	end_function reads_word_past_end_memcpy

	function reads_before_start_memcpy
	mv	a3, a0
	andi	a4, a1, -8
	ld	a4, -8(a4)
	copy_bytes
	ret
	end_function reads_before_start_memcpy

	function size_of_16_bits_memcpy
	mv	a3, a0
	slli	a2, a2, 48
	srli	a2, a2, 48
	copy_bytes
	ret
	end_function size_of_16_bits_memcpy

	function size_of_32_bits_memcpy
	mv	a3, a0
	slli	a2, a2, 32
	srli	a2, a2, 32
	copy_bytes
	ret
	end_function size_of_32_bits_memcpy

	/* The same of a signed one, and in the other functions. */
	function size_of_31_bits_memmove
	sext.w	a2, a2
	mv	a3, a0
	sub	a4, a0, a1
	bgeu	a4, a2, 3f
	add	a3, a3, a2
	add	a1, a1, a2
1:	beqz	a2, 2f
	addi	a1, a1, -1
	lb	a4, 0(a1)
	addi	a3, a3, -1
	sb	a4, 0(a3)
	addi	a2, a2, -1
	j	1b
2:	ret
3:	copy_bytes
	ret
	end_function size_of_31_bits_memmove

	function size_of_32_bits_memset
	slli	a2, a2, 32
	srli	a2, a2, 32
	mv	a3, a0
1:	beqz	a2, 2f
	sb	a1, 0(a3)
	addi	a3, a3, 1
	addi	a2, a2, -1
	j	1b
2:	ret
	end_function size_of_32_bits_memset

	function size_of_32_bits_usercopy
	slli	a2, a2, 32
	srli	a2, a2, 32
	add	a3, a0, a2
1:	beq	a0, a3, 2f
	may_fault 2f, lb	a4, 0(a1)
	may_fault 2f, sb	a4, 0(a0)
	addi	a0, a0, 1
	addi	a1, a1, 1
	j	1b
2:	sub	a0, a3, a0
	ret
	end_function size_of_32_bits_usercopy

	/* Clearing: right, and one that leaves out the last byte. */
	function control_clearuser
	add	a3, a0, a1
1:	beq	a0, a3, 2f
	may_fault 2f, sb	zero, 0(a0)
	addi	a0, a0, 1
	j	1b
2:	sub	a0, a3, a0
	ret
	end_function control_clearuser

	function leaves_last_clearuser
	add	a3, a0, a1
1:	addi	a4, a0, 1
	bgeu	a4, a3, 2f
	may_fault 2f, sb	zero, 0(a0)
	addi	a0, a0, 1
	j	1b
2:	li	a0, 0
	ret
	end_function leaves_last_clearuser

	/* One size at one pair of alignments. */
	function one_case_memcpy
	mv	a3, a0
	li	a4, 77
	bne	a2, a4, 1f
	andi	a4, a0, 7
	addi	a4, a4, -3
	bnez	a4, 1f
	andi	a4, a1, 7
	addi	a4, a4, -5
	bnez	a4, 1f
	addi	a1, a1, 1
	sb	zero, 0(a3)
	addi	a3, a3, 1
	addi	a2, a2, -1
1:	copy_bytes
	ret
	end_function one_case_memcpy

	function writes_and_restores_memcpy
	mv	a3, a0
	add	a5, a0, a2
	copy_bytes
	lb	a4, 0(a5)
	sb	zero, 0(a5)
	sb	a4, 0(a5)
	ret
	end_function writes_and_restores_memcpy

	function wrong_return_memcpy
	mv	a3, a0
	copy_bytes
	mv	a0, a3
	ret
	end_function wrong_return_memcpy

	function clobbers_s3_memcpy
	mv	a3, a0
	mv	s3, a2
	copy_bytes
	ret
	end_function clobbers_s3_memcpy

	function clobbers_gp_memcpy
	mv	a3, a0
	mv	gp, a2
	copy_bytes
	ret
	end_function clobbers_gp_memcpy

	function endless_memcpy
	mv	a3, a0
	li	a4, 33
1:	beq	a2, a4, 1b
	copy_bytes
	ret
	end_function endless_memcpy

	function jumps_away_memcpy
	mv	a3, a0
	copy_bytes
	li	a4, 0x1000
	jr	a4
	end_function jumps_away_memcpy

	/* Words wherever they lie. */
	function misaligned_memcpy
	mv	a3, a0
	sltiu	a4, a2, 16
	bnez	a4, 1f
	ld	a4, 0(a1)
	sd	a4, 0(a3)
	addi	a1, a1, 8
	addi	a3, a3, 8
	addi	a2, a2, -8
1:	copy_bytes
	ret
	end_function misaligned_memcpy

	function forward_only_memmove
	mv	a3, a0
	copy_bytes
	ret
	end_function forward_only_memmove

	/* Backward where it has to be, but at a distance of 5. */
	function one_distance_memmove
	mv	a3, a0
	sub	a4, a0, a1
	bgeu	a4, a2, 2f
	addi	a4, a4, -5
	beqz	a4, 2f
	add	a1, a1, a2
	add	a3, a3, a2
	beqz	a2, 3f
1:	addi	a1, a1, -1
	addi	a3, a3, -1
	lb	a4, 0(a1)
	sb	a4, 0(a3)
	addi	a2, a2, -1
	bnez	a2, 1b
	ret
2:	copy_bytes
3:	ret
	end_function one_distance_memmove

	/* A word of the byte, with what lies above it in the register. */
	function unmasked_byte_memset
	mv	a3, a0
	slli	a4, a1, 8
	or	a1, a1, a4
	beqz	a2, 2f
	andi	a4, a2, 1
	beqz	a4, 1f
	sb	a1, 0(a3)
	addi	a3, a3, 1
	addi	a2, a2, -1
	beqz	a2, 2f
1:	sb	a1, 0(a3)
	srli	a4, a1, 8
	sb	a4, 1(a3)
	addi	a3, a3, 2
	addi	a2, a2, -2
	bnez	a2, 1b
2:	ret
	end_function unmasked_byte_memset

/* A user copy byte by byte; at_fault: what is returned then, from a2, the bytes that are left. */
.macro copy_user_bytes
	beqz	a2, 2f
1:	may_fault 3f, lb	a4, 0(a1)
	may_fault 3f, sb	a4, 0(a0)
	addi	a1, a1, 1
	addi	a0, a0, 1
	addi	a2, a2, -1
	bnez	a2, 1b
2:	li	a0, 0
	ret
3:
.endm

	function control_usercopy
	copy_user_bytes
	mv	a0, a2
	ret
	end_function control_usercopy

	function residue_too_small_usercopy
	copy_user_bytes
	addi	a0, a2, -1
	ret
	end_function residue_too_small_usercopy

	function residue_too_large_usercopy
	copy_user_bytes
	addi	a0, a2, 1
	ret
	end_function residue_too_large_usercopy

	function says_nothing_usercopy
	copy_user_bytes
	li	a0, 0
	ret
	end_function says_nothing_usercopy

	/* All loads first: what was stored is more than it says. */
	function stores_beyond_usercopy
	li	a5, 2
1:	bltu	a2, a5, 4f
	may_fault 3f, lb	a4, 0(a1)
	may_fault 3f, lb	a6, 1(a1)
	may_fault 3f, sb	a4, 0(a0)
	may_fault 3f, sb	a6, 1(a0)
	addi	a1, a1, 2
	addi	a0, a0, 2
	addi	a2, a2, -2
	j	1b
4:	beqz	a2, 5f
	may_fault 3f, lb	a4, 0(a1)
	may_fault 3f, sb	a4, 0(a0)
5:	li	a0, 0
	ret
3:	mv	a0, a2
	ret
	end_function stores_beyond_usercopy

	function no_fixup_usercopy
	beqz	a2, 2f
1:	may_fault 3f, lb	a4, 0(a1)
	sb	a4, 0(a0)
	addi	a1, a1, 1
	addi	a0, a0, 1
	addi	a2, a2, -1
	bnez	a2, 1b
2:	li	a0, 0
	ret
3:	mv	a0, a2
	ret
	end_function no_fixup_usercopy

	/* Vector: an element too few, and vstart left as the fault left it. */
	.option	arch, +v
	function last_strip_short_memcpy
	mv	a3, a0
1:	vsetvli	t0, a2, e8, m1, ta, ma
	vle8.v	v0, (a1)
	add	a1, a1, t0
	sub	a2, a2, t0
	vse8.v	v0, (a3)
	add	a3, a3, t0
	sltiu	a4, a2, 2
	beqz	a4, 1b
	ret
	end_function last_strip_short_memcpy

	function leaves_vstart_memcpy
	mv	a3, a0
	copy_bytes
	li	a4, 1
	csrw	vstart, a4
	ret
	end_function leaves_vstart_memcpy
