/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Fault fix-up for the copies that may fault. See usercopy.h.
 *
 * What runs between a fault and its fix-up calls nothing and is built without vector code: a called
 * function might use vector registers, and then vstart, by which usercopy-rvv finds out how far a
 * store had come, would be lost on a machine whose kernel does not keep it over a signal.
 */
#define _GNU_SOURCE /* REG_RIP, REG_PC */
#include "copylib/usercopy.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <ucontext.h>

#define COPY_TABLES_MAX 16

/* What the linker makes of the section in this object; both NULL where there is none. */
extern const struct copy_fixup __start_copylib_fixups[] __attribute__((weak, visibility("hidden")));
extern const struct copy_fixup __stop_copylib_fixups[] __attribute__((weak, visibility("hidden")));

static struct sigaction before_segv, before_bus;

/* Of other objects; the count is raised once a table is there. */
static struct table {
	enum copy_fixup_kind kind;
	uintptr_t begin;
	size_t bytes;
} tables[COPY_TABLES_MAX];
static atomic_uint table_count;

int copy_faults_add_table(enum copy_fixup_kind kind, uintptr_t begin, size_t bytes)
{
	unsigned int count = atomic_load(&table_count);

	if (count == COPY_TABLES_MAX)
		return -ENOSPC;
	tables[count] = (struct table){ kind, begin, bytes };
	atomic_store(&table_count, count + 1);
	return 0;
}

#if defined(__riscv)
#define PROGRAM_COUNTER(context) ((context)->uc_mcontext.__gregs[REG_PC])
#elif defined(__x86_64__)
#define PROGRAM_COUNTER(context) ((context)->uc_mcontext.gregs[REG_RIP])
#endif

#ifdef PROGRAM_COUNTER
static inline uintptr_t absolute(const int32_t *relative)
{
	return (uintptr_t)relative + (uintptr_t)(intptr_t)*relative;
}

/* Where to go on after the instruction; 0: the table does not know it. */
static inline uintptr_t look_up(const struct table *table, uintptr_t instruction)
{
	static const size_t entry_bytes[] = { 8, 12, 16 };
	size_t step = entry_bytes[table->kind];

	for (size_t at = 0; at + step <= table->bytes; at += step) {
		const uintptr_t *words = (const uintptr_t *)(table->begin + at);
		const struct copy_fixup *entry = (const struct copy_fixup *)(table->begin + at);

		if (table->kind == COPY_FIXUP_ABSOLUTE && words[0] == instruction)
			return words[1];
		if (table->kind != COPY_FIXUP_ABSOLUTE &&
		    absolute(&entry->instruction) == instruction)
			return absolute(&entry->go_on);
	}
	return 0;
}

static inline bool fix_up(ucontext_t *context)
{
	const struct table own = {
		.kind = COPY_FIXUP_COPYLIB,
		.begin = (uintptr_t)__start_copylib_fixups,
		.bytes = (uintptr_t)__stop_copylib_fixups - (uintptr_t)__start_copylib_fixups,
	};
	uintptr_t instruction = (uintptr_t)PROGRAM_COUNTER(context);
	uintptr_t go_on = look_up(&own, instruction);

	for (unsigned int i = 0; !go_on && i < atomic_load(&table_count); i++)
		go_on = look_up(&tables[i], instruction);
	if (go_on)
		PROGRAM_COUNTER(context) = (greg_t)go_on;
	return go_on != 0;
}
#else
static inline bool fix_up(ucontext_t *context)
{
	(void)context;
	return false;
}
#endif

bool copy_fault_fixup(void *context)
{
	return fix_up(context);
}

/* As if the signal had found what was there before: the default is to fault again and end. */
static void hand_on(const struct sigaction *before, int number, siginfo_t *info, void *context)
{
	if (before->sa_flags & SA_SIGINFO) {
		before->sa_sigaction(number, info, context);
	} else if (before->sa_handler == SIG_DFL || before->sa_handler == SIG_IGN) {
		/* A fault that is ignored ends the program too; one that was sent may be. */
		if (before->sa_handler == SIG_IGN && info->si_code <= 0)
			return;
		signal(number, SIG_DFL);
		if (info->si_code <= 0)
			raise(number); /* it was sent: no instruction will fault again */
	} else {
		before->sa_handler(number);
	}
}

static void caught(int number, siginfo_t *info, void *context)
{
	if (info->si_code > 0 && fix_up(context))
		return;
	hand_on(number == SIGBUS ? &before_bus : &before_segv, number, info, context);
}

static int catch_signal(int number, struct sigaction *before)
{
	struct sigaction action = { .sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sigaction now;

	if (sigaction(number, NULL, &now) < 0)
		return -errno;
	if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == caught)
		return 0;
	/* The handler runs on whatever stack the one before it asked for, with its mask. */
	action.sa_flags |= now.sa_flags & SA_ONSTACK;
	action.sa_mask = now.sa_mask;
	*before = now;
	return sigaction(number, &action, NULL) < 0 ? -errno : 0;
}

int copy_faults_catch(void)
{
	int error = catch_signal(SIGSEGV, &before_segv);

	return error ? error : catch_signal(SIGBUS, &before_bus);
}
