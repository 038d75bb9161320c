/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Trials of a subject's riscv64 code by the judge. */
#ifndef HARNESS_COPIES_JUDGED_H
#define HARNESS_COPIES_JUDGED_H

#include "harness/copies/subject.h"
#include "harness/copies/trials.h"
#include "harness/sim/judge.h"

/** progress: as in struct trials_runner, called with the given context. */
void judged_function(struct judge *judge, const struct subject *subject, size_t function,
		     const struct trials_range *range, void (*progress)(void *context, double part),
		     void *context, struct trials_result *result);

#endif
