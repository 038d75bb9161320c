/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What this CPU has of the things that a variant may need.
 */
#include "copylib/copylib.h"

/* The variants in portable C need nothing, so there is nothing to ask the CPU for. */
static const unsigned int available = COPY_NEED_NOTHING;

bool copy_variant_runs_here(const struct copy_variant *variant)
{
	return (variant->needs & ~available) == 0;
}
