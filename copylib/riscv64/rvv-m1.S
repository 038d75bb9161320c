/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* rvv-m1: a vector strip loop over a single register. */
#include "copylib/riscv64/rvv.h"

	rvv_routines rvv_m1, m1
