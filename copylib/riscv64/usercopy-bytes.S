/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usercopy-bytes: the user copy of mainline before 5.14. One word a turn if source and destination
 * lie equally far past a word boundary, else bytes.
 */
#include "copylib/riscv64/usercopy.h"

	function usercopy_bytes_usercopy
	add	end, dst, left
	xor	a5, dst, src
	andi	a5, a5, WORD - 1
	bnez	a5, .Ltail
	sltiu	a5, left, WORD
	bnez	a5, .Ltail
	usercopy_head
	andi	stop, end, -WORD
	bgeu	dst, stop, .Ltail
.Lword:
	/* 5 instructions a word */
	may_fault .Lfault, ld	a5, 0(src)
	addi	src, src, WORD
	may_fault .Lfault, sd	a5, 0(dst)
	addi	dst, dst, WORD
	bltu	dst, stop, .Lword
.Ltail:
	usercopy_bytes end
	usercopy_return
	end_function usercopy_bytes_usercopy
