/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The subcommands of `harness copy`; each returns an exit status. */
#ifndef HARNESS_COPIES_COPIES_H
#define HARNESS_COPIES_COPIES_H

#include "harness/copies/copy_options.h"
#include "harness/sim/image.h"

/** image: the built-in routines for riscv64; NULL: this program has none. */
int copies_list(const struct copy_options *options, const struct rv64_image *image);
int copies_verify(const struct copy_options *options, const struct rv64_image *image);
int copies_count(const struct copy_options *options, const struct rv64_image *image);

#endif
