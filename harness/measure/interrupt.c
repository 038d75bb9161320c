/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Interrupt: the signals are blocked and read through a signalfd, so that no wait can miss one. */
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "harness/measure/interrupt.h"

static int descriptor = -1;
static sigset_t previous_mask;

static void interrupt_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGPIPE); /* nobody reads any more: nothing is left to be done, but tidily */
}

int interrupt_open(void)
{
	sigset_t set;

	if (descriptor >= 0)
		return 0;
	interrupt_signals(&set);
	if (sigprocmask(SIG_BLOCK, &set, &previous_mask))
		return -1;
	descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (descriptor < 0) {
		sigprocmask(SIG_SETMASK, &previous_mask, NULL);
		return -1;
	}
	return 0;
}

int interrupt_fd(void)
{
	return descriptor;
}

/* The signal is never read, so that whoever polls later sees it too. */
bool interrupt_seen(void)
{
	struct pollfd poll_fd = { .fd = descriptor, .events = POLLIN };

	return descriptor >= 0 && poll(&poll_fd, 1, 0) > 0;
}

void interrupt_reset_in_child(void)
{
	if (descriptor >= 0)
		sigprocmask(SIG_SETMASK, &previous_mask, NULL);
}

void interrupt_close(void)
{
	struct signalfd_siginfo info;

	if (descriptor < 0)
		return;
	while (read(descriptor, &info, sizeof(info)) > 0)
		;
	close(descriptor);
	descriptor = -1;
	sigprocmask(SIG_SETMASK, &previous_mask, NULL);
}
