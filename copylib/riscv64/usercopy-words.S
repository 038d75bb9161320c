/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usercopy-words: 8 words a turn if source and destination lie equally far past a word boundary,
 * else bytes, or words of 4 bytes where everything fits. The posted routine had no fix-ups in its
 * head; this one has them.
 */
#include "copylib/riscv64/usercopy.h"

	function usercopy_words_usercopy
	add	end, dst, left
	sltiu	a5, left, 8 * WORD
	bnez	a5, .Ltail
	xor	a5, dst, src
	andi	a5, a5, WORD - 1
	bnez	a5, .Ltail
	usercopy_head
	usercopy_blocks
.Ltail:
	bgeu	dst, end, .Ldone
	or	a5, dst, src
	or	a5, a5, end
	andi	a5, a5, 3
	bnez	a5, .Lbytes
.Lhalf:
	may_fault .Lfault, lw	a5, 0(src)
	addi	src, src, 4
	may_fault .Lfault, sw	a5, 0(dst)
	addi	dst, dst, 4
	bltu	dst, end, .Lhalf
	j	.Ldone
.Lbytes:
	usercopy_bytes end
.Ldone:
	usercopy_return
	end_function usercopy_words_usercopy
