/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* rvv-m4: a vector strip loop over four registers. */
#include "copylib/riscv64/rvv.h"

	rvv_routines rvv_m4, m4
