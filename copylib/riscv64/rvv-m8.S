/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* rvv-m8: a vector strip loop over eight registers. */
#include "copylib/riscv64/rvv.h"

	rvv_routines rvv_m8, m8
