/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * linux: mainline's memcpy for riscv until 2026. Blocks of 16 words if source and destination lie
 * equally far past a word boundary, else bytes, or words of 4 bytes where everything fits.
 */
#include "copylib/riscv64/linux.h"

	function linux_memcpy
	mv	dst, a0
	sltiu	a4, left, 128
	bnez	a4, .Ltail
	xor	a4, src, dst
	andi	a4, a4, WORD - 1
	bnez	a4, .Ltail
	linux_blocks .Ltail
.Ltail:
	linux_tail
	end_function linux_memcpy
