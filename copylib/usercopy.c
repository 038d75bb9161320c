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
#include <stddef.h>
#include <ucontext.h>

/* What the linker makes of the section in this object; both NULL where there is none. */
extern const struct copy_fixup __start_copylib_fixups[] __attribute__((weak, visibility("hidden")));
extern const struct copy_fixup __stop_copylib_fixups[] __attribute__((weak, visibility("hidden")));

static struct sigaction before_segv, before_bus;

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

static inline bool fix_up(ucontext_t *context)
{
	uintptr_t instruction = (uintptr_t)PROGRAM_COUNTER(context);

	for (const struct copy_fixup *entry = __start_copylib_fixups; entry < __stop_copylib_fixups;
	     entry++) {
		if (absolute(&entry->instruction) != instruction)
			continue;
		PROGRAM_COUNTER(context) = (greg_t)absolute(&entry->go_on);
		return true;
	}
	return false;
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
