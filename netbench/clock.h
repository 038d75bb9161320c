/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The monotonic clock in nanoseconds: for due times, datagram headers and the time in copies. */
#ifndef NETBENCH_CLOCK_H
#define NETBENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

#endif
