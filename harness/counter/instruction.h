/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Instructions that the counter has to see: marks, and those that write satp. */
#ifndef HARNESS_COUNTER_INSTRUCTION_H
#define HARNESS_COUNTER_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/counter/mark.h"

#define CSR_SATP 0x180

/** slti x0, x0, MARK, with one of our marks. */
static inline bool instruction_is_mark(uint32_t word, unsigned int *mark)
{
	*mark = word >> 20;
	return word == COUNTER_MARK_WORD(*mark) &&
	       (*mark == COUNTER_MARK_BEGIN || *mark == COUNTER_MARK_END ||
		*mark == COUNTER_MARK_TOTALS ||
		(*mark >= COUNTER_MARK_PROCESS &&
		 *mark < COUNTER_MARK_PROCESS + COUNTER_PROCESSES));
}

/** csrrw of any register into satp; source: the number of the register that it comes from. */
static inline bool instruction_writes_satp(uint32_t word, unsigned int *source)
{
	*source = word >> 15 & 31;
	return (word & 0x7f) == 0x73 && (word >> 12 & 7) == 1 && word >> 20 == CSR_SATP;
}

#endif
