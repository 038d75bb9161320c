/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * System: single calls counted in a whole emulated machine, by the counter in QEMU, beside what the
 * judge says of them: two implementations of RISC-V that have nothing in common.
 */
#ifndef HARNESS_COPIES_SYSTEM_H
#define HARNESS_COPIES_SYSTEM_H

#include "harness/copies/copy_options.h"

/** harness copy count --system. Returns an exit status: HARNESS_FAILED if the two differ. */
int copies_count_system(const struct copy_options *options, const struct subject *subjects);

#endif
