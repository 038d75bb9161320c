/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sending flows.
 *
 * TCP: one send at a time, as several on one socket could overtake each other; while the kernel has
 * one block, the next is filled. Sends may be short, and are then resumed.
 * UDP: all blocks that are due, up to the number of slots, go out as a chain of linked requests,
 * which the kernel works off one after the other: without the links, one that has to wait for room
 * would be overtaken, and the receiver would count that as loss. An error breaks the chain; what is
 * left of it is sent again, in order.
 */
#include "netbench/engine/uring_private.h"

#include <errno.h>

#include "netbench/clock.h"

static const struct flow_config *configuration(const struct uring_flow *flow)
{
	return flow_configuration(flow->common.flow);
}

static unsigned char *send_slot(const struct uring_flow *flow, unsigned int block)
{
	unsigned int count = configuration(flow)->udp ? URING_UDP_SEND_SLOTS : URING_TCP_SEND_SLOTS;

	return flow->first_send_slot + block % count * flow->send_stride_bytes;
}

/* At once or, by the clock, already past. */
static bool is_due(uint64_t due_ns)
{
	return due_ns == 0 || due_ns <= clock_now_ns();
}

static void fill_what_is_due(struct uring_flow *flow)
{
	unsigned int count = configuration(flow)->udp ? URING_UDP_SEND_SLOTS : URING_TCP_SEND_SLOTS;

	while (flow->filled - flow->sent < count && is_due(flow_due_ns(flow->common.flow))) {
		flow_fill(flow->common.flow, flow->worker->buffer, send_slot(flow, flow->filled));
		flow->filled++;
	}
}

static void wait_until(struct uring_flow *flow, uint64_t due_ns)
{
	struct io_uring_sqe *request = uring_request(flow->worker);

	flow->due.tv_sec = (long long)(due_ns / NS_PER_S);
	flow->due.tv_nsec = (long long)(due_ns % NS_PER_S);
	io_uring_prep_timeout(request, &flow->due, 0, IORING_TIMEOUT_ABS);
	request->user_data = uring_tag_encode(flow, URING_TIMER);
	flow->timer_armed = true;
}

static void send_block(struct uring_flow *flow, unsigned int block, bool linked)
{
	struct io_uring_sqe *request = uring_request(flow->worker);
	size_t done = block == flow->sent ? flow->sent_bytes : 0;

	io_uring_prep_send(request, flow_fd(flow->common.flow), send_slot(flow, block) + done,
			   flow->block_bytes - done, MSG_NOSIGNAL | MSG_WAITALL);
	if (linked)
		request->flags |= IOSQE_IO_LINK;
	request->user_data = uring_tag_encode(flow, URING_SEND);
	flow->sends_in_flight++;
}

void uring_send_next(struct uring_flow *flow)
{
	uint64_t due_ns = flow_due_ns(flow->common.flow);
	unsigned int until;

	/* After an error, what is left of the chain waits for the pause that the flow wants. */
	if ((flow->send_failed || flow->filled == flow->sent) && !is_due(due_ns)) {
		wait_until(flow, due_ns);
		return;
	}
	flow->send_failed = false;
	fill_what_is_due(flow);
	until = configuration(flow)->udp ? flow->filled : flow->sent + 1;
	for (unsigned int block = flow->sent; block != until; block++)
		send_block(flow, block, block + 1 != until);
}

void uring_sent(struct uring_flow *flow, int result)
{
	bool was_broken_off = result == -ECANCELED || result == -EINTR || result == -EAGAIN;

	flow->sends_in_flight--;
	if (result >= 0) {
		flow->sent_bytes += (size_t)result;
		flow_sent(flow->common.flow, (size_t)result, flow->sent_bytes == flow->block_bytes);
		if (flow->sent_bytes == flow->block_bytes) {
			flow->sent_bytes = 0;
			flow->sent++;
		}
	} else if (!was_broken_off) {
		flow->send_error = -result;
	}
	if (flow->sends_in_flight > 0)
		return;
	if (flow->send_error) {
		int error = flow->send_error;

		flow->send_error = 0;
		flow->send_failed = true;
		if (!flow_goes_on(flow->common.flow, error))
			uring_flow_end(flow);
	}
	if (!flow->ending)
		uring_send_next(flow);
}
