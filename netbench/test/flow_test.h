/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * For tests of a flow from bytes, without sockets: a copy routine that remembers its calls, and a
 * clock_gettime() of the program's own, so that times are exact.
 */
#ifndef NETBENCH_TEST_FLOW_TEST_H
#define NETBENCH_TEST_FLOW_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "netbench/clock.h"
#include "netbench/flow.h"
#include "netbench/flow_buffer.h"
#include "netbench/iperf3/wire.h"

#define MAYBE_UNUSED __attribute__((unused))

static uint64_t now_ns = 1000 * NS_PER_S;
static unsigned int clock_reads;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	clock_reads++;
	time->tv_sec = (time_t)(now_ns / NS_PER_S);
	time->tv_nsec = (long)(now_ns % NS_PER_S);
	return 0;
}

/* -- a copy routine that remembers --------------------------------------------------------- */

static struct {
	unsigned char *destination;
	const unsigned char *source;
	size_t bytes;
} copies[64];
static size_t copy_count;
static uint64_t copy_takes_ns;

static void *remembering_memcpy(void *destination, const void *source, size_t bytes)
{
	copies[copy_count % 64].destination = destination;
	copies[copy_count % 64].source = source;
	copies[copy_count++ % 64].bytes = bytes;
	now_ns += copy_takes_ns;
	return memcpy(destination, source, bytes);
}

static const struct copy_variant remembering = { .name = "remembering",
						 .memcpy = remembering_memcpy };

static MAYBE_UNUSED struct flow_buffer *create_buffer(size_t ring_bytes, unsigned int source_align,
						      unsigned int destination_align)
{
	struct flow_buffer *buffer = flow_buffer_create(&(struct flow_buffer_options){
		.copy = &remembering,
		.ring_bytes = ring_bytes,
		.source_align = source_align,
		.destination_align = destination_align,
		.receives = true,
		.sends = true,
	});

	assert_non_null(buffer);
	copy_count = 0;
	copy_takes_ns = 0;
	return buffer;
}

static MAYBE_UNUSED struct flow *create_flow(enum flow_role role, bool udp, bool counters_64bit,
					     size_t block_bytes)
{
	struct flow *flow = flow_create(&(struct flow_config){
		.fd = -1,
		.role = role,
		.udp = udp,
		.udp_counters_64bit = counters_64bit,
		.block_bytes = block_bytes,
	});

	assert_non_null(flow);
	return flow;
}

static MAYBE_UNUSED struct flow_totals totals_of(const struct flow *flow)
{
	struct flow_totals totals;

	flow_read_totals(flow, &totals);
	return totals;
}

#endif
