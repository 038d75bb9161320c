/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Faults of user copies, in user space.
 *
 * Each load and store of a user copy that may fault has an entry in a table: where it is, and where
 * to go on. SIGSEGV and SIGBUS look the instruction up there, as a kernel does on a page fault;
 * what is not found goes to whoever handled the signal before. There is nothing to set for a
 * thread: the instruction alone tells.
 */
#ifndef COPYLIB_USERCOPY_H
#define COPYLIB_USERCOPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An entry of the section copylib_fixups: both relative to their own address. */
struct copy_fixup {
	int32_t instruction;
	int32_t go_on;
};

/** The tables that are known: ours, a kernel's for riscv64 since 5.17, and the one before. */
enum copy_fixup_kind {
	COPY_FIXUP_COPYLIB,  /* struct copy_fixup */
	COPY_FIXUP_KERNEL,   /* the same two, then a type and data of 16 bits each */
	COPY_FIXUP_ABSOLUTE, /* two addresses */
};

/** Makes the table of a shared object known, before it is called. 0 or -ENOSPC. */
int copy_faults_add_table(enum copy_fixup_kind kind, uintptr_t begin, size_t bytes);

/**
 * Takes SIGSEGV and SIGBUS for the process; to what handled them before, faults of other
 * instructions go as if nothing had come between. Can be called again, after a program has set
 * handlers of its own: then those come second. Returns 0 or a negative errno.
 */
int copy_faults_catch(void);

/**
 * For a program that keeps its own handler: if the interrupted instruction is one of a table, makes
 * the context (the handler's third argument) go on where the table says, and returns true.
 */
bool copy_fault_fixup(void *context);

#endif
