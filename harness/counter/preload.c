/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libcounter-mark.so: preloaded into the server of a cell, it tells the counter which process that
 * is, before the program's own code begins. For riscv64 alone.
 */
#include "harness/counter/mark.h"

static void __attribute__((constructor)) tell(void)
{
#if defined(__riscv)
	counter_mark(COUNTER_MARK_PROCESS + COUNTER_PROCESS_SERVER);
#endif
}
