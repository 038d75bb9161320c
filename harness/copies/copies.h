/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The subcommands of `harness copy`; each returns an exit status. */
#ifndef HARNESS_COPIES_COPIES_H
#define HARNESS_COPIES_COPIES_H

#include "harness/copies/copy_options.h"
#include "harness/copies/subject.h"

/** subjects: options->variant_count of them, one for each variant, in that order. */
int copies_list(const struct copy_options *options, const struct subject *subjects);
int copies_verify(const struct copy_options *options, const struct subject *subjects);
int copies_count(const struct copy_options *options, const struct subject *subjects);

#endif
