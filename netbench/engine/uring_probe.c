/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which tier works here: found by doing a little of what flows do, on a socket pair.
 *
 * A version number would not tell: io_uring is switched off by administrators, cut down by the
 * filters of containers, missing in emulators, and has been ported back into older kernels.
 */
#include "netbench/engine/uring_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef IORING_FEAT_RECVSEND_BUNDLE /* liburing before 2.7 */
#define IORING_FEAT_RECVSEND_BUNDLE (1U << 14)
#endif

#define PROBE_ENTRIES	 8
#define PROBE_SLOTS	 2
#define PROBE_SLOT_BYTES 512
#define PROBE_LIMIT_S	 2

struct probe {
	struct io_uring ring;
	struct uring_slots slots;
	int pair[2];
};

char uring_tier_letter(enum uring_tier tier)
{
	return "?CBA"[tier];
}

/* 1 or 2: the sysctl forbids it to some or all; 0: it does not, or this kernel has no such thing.
 */
static int sysctl_disabled(void)
{
	FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "re");
	int value = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

static void explain(int error, char *why, size_t why_size)
{
	switch (error) {
	case -ENOSYS:
		snprintf(why, why_size,
			 "io_uring: ENOSYS: this kernel was built without it, or an emulator or a "
			 "system call filter hides it");
		break;
	case -EPERM:
	case -EACCES:
		if (sysctl_disabled())
			snprintf(why, why_size,
				 "io_uring: EPERM: forbidden by kernel.io_uring_disabled = %d "
				 "(sysctl -w kernel.io_uring_disabled=0)",
				 sysctl_disabled());
		else
			snprintf(why, why_size,
				 "io_uring: EPERM: forbidden here, as in most containers; their "
				 "system call filter would have to allow it");
		break;
	case -ENOMEM:
		snprintf(why, why_size,
			 "io_uring: ENOMEM: no memory, or too little may be locked (ulimit -l)");
		break;
	default:
		snprintf(why, why_size, "io_uring: a trial failed: %s", strerror(-error));
		break;
	}
}

/* The next completion's result; flags may be NULL. */
static int wait_result(struct probe *probe, uint32_t *flags)
{
	struct __kernel_timespec limit = { .tv_sec = PROBE_LIMIT_S };
	struct io_uring_cqe *completion;
	int error = io_uring_wait_cqe_timeout(&probe->ring, &completion, &limit);
	int result;

	if (error)
		return error;
	result = completion->res;
	if (flags)
		*flags = completion->flags;
	io_uring_cqe_seen(&probe->ring, completion);
	return result;
}

/* A byte through the pair; 0 or -errno. */
static int try_single_shot(struct probe *probe)
{
	unsigned char sent = 'x', received = 0;
	int submitted;

	io_uring_prep_recv(io_uring_get_sqe(&probe->ring), probe->pair[0], &received, 1, 0);
	io_uring_prep_send(io_uring_get_sqe(&probe->ring), probe->pair[1], &sent, 1, MSG_NOSIGNAL);
	submitted = io_uring_submit(&probe->ring);
	if (submitted != 2)
		return submitted < 0 ? submitted : -EIO;
	for (int i = 0; i < 2; i++) {
		int result = wait_result(probe, NULL);

		if (result != 1)
			return result < 0 ? result : -EIO;
	}
	return received == sent ? 0 : -EIO;
}

static bool try_multishot(struct probe *probe)
{
	struct io_uring_sqe *request;
	uint32_t flags = 0;

	if (uring_slots_create(&probe->slots, &probe->ring, 0, PROBE_SLOTS, PROBE_SLOT_BYTES, 0))
		return false;
	request = io_uring_get_sqe(&probe->ring);
	io_uring_prep_recv_multishot(request, probe->pair[0], NULL, 0, 0);
	request->flags |= IOSQE_BUFFER_SELECT;
	request->buf_group = 0;
	if (io_uring_submit(&probe->ring) != 1 || send(probe->pair[1], "x", 1, MSG_NOSIGNAL) != 1 ||
	    wait_result(probe, &flags) != 1)
		return false;
	return (flags & IORING_CQE_F_BUFFER) && (flags & IORING_CQE_F_MORE);
}

static enum uring_tier try_tiers(struct probe *probe, enum uring_tier best, int *error)
{
	*error = try_single_shot(probe);
	if (*error)
		return URING_TIER_NONE;
	if (best < URING_TIER_B || !try_multishot(probe))
		return URING_TIER_C;
	if (best < URING_TIER_A || !(probe->ring.features & IORING_FEAT_RECVSEND_BUNDLE))
		return URING_TIER_B;
	return URING_TIER_A;
}

enum uring_tier uring_probe(enum uring_tier best, char *why, size_t why_size)
{
	struct probe probe = { .pair = { -1, -1 } };
	enum uring_tier tier = URING_TIER_NONE;
	int error = uring_ring_open(&probe.ring, best, PROBE_ENTRIES, 2 * PROBE_ENTRIES);

	if (error == 0) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, probe.pair) < 0)
			error = -errno;
		else
			tier = try_tiers(&probe, best, &error);
		io_uring_queue_exit(&probe.ring);
		uring_slots_destroy(&probe.slots);
		if (probe.pair[0] >= 0) {
			close(probe.pair[0]);
			close(probe.pair[1]);
		}
	}
	if (tier == URING_TIER_NONE) {
		explain(error, why, why_size);
		errno = -error;
	}
	return tier;
}
