/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * usercopy-shift: mainline's user copy from 5.14 on. The destination is aligned first; then 8 words
 * a turn if the source is aligned by that, else shift and merge; then bytes.
 */
#include "copylib/riscv64/usercopy.h"

	function usercopy_shift_usercopy
	usercopy_shift_body
	end_function usercopy_shift_usercopy
