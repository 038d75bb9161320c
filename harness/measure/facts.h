/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Facts: what a figure's reader has to know of the machine under test.
 */
#ifndef HARNESS_MEASURE_FACTS_H
#define HARNESS_MEASURE_FACTS_H

#include <jansson.h>

#include "harness/host/host.h"

/**
 * The board's facts, as results/README.md describes them; takes a moment, in which it looks how
 * busy the machine is. A new reference; NULL: no memory.
 */
json_t *facts_gather(struct host *board);

#endif
