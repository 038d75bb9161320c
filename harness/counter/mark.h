/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Marks: how a program under test speaks to the counter (plugin.c). Each is a HINT of RV64, slti
 * with x0 as its target, which every CPU executes as nothing.
 */
#ifndef HARNESS_COUNTER_MARK_H
#define HARNESS_COUNTER_MARK_H

/** The immediate of slti x0, x0: counts begin anew; they end and are written out. */
#define COUNTER_MARK_BEGIN 0x4e1
#define COUNTER_MARK_END   0x4e2
/** Likewise, but only the totals and those of each process: for many short counts. */
#define COUNTER_MARK_TOTALS 0x4e3
/** From here on to COUNTER_PROCESSES - 1 more: "I am process 0, 1, ...". */
#define COUNTER_MARK_PROCESS 0x4f0
#define COUNTER_PROCESSES    8

/** Process numbers by agreement. */
#define COUNTER_PROCESS_SERVER 1 /* the server of a cell, on the board */

/** The instruction with this immediate. */
#define COUNTER_MARK_WORD(mark) ((unsigned int)(mark) << 20 | 2u << 12 | 0x13u)

/** The most that netbench-calls (calls.c) has room for. */
#define COUNTER_CALL_BYTES_MAX (1u << 20)

#if defined(__riscv)
#define counter_mark(mark) __asm__ volatile("slti x0, x0, %0" : : "i"(mark) : "memory")
#endif

#endif
