/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sending flows.
 *
 * TCP: one send at a time, as several on one socket could overtake each other. One slot is enough:
 * the socket's buffer keeps the line busy while the slot is filled again, and a slot that was
 * filled just now is still in the cache. Sends may be short, and are then resumed. UDP: as many
 * datagrams as are due and surely fit into the socket's buffer go out together: the kernel works
 * them off in order as long as none has to wait for room, and one that has to goes alone, so none
 * is overtaken and counted as lost by the receiver. (Linked requests would keep the order too, but
 * each link costs more than the system call it saves.) A datagram that the kernel refuses is lost,
 * as on the wire.
 */
#include "netbench/engine/uring_private.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "netbench/clock.h"

/* The kernel's own share of a datagram in a socket's buffer, before it rounds up to a power of two.
 */
#define DATAGRAM_OVERHEAD_BYTES 1024

static const struct flow_config *configuration(const struct uring_flow *flow)
{
	return flow_configuration(flow->common.flow);
}

static unsigned char *send_slot(const struct uring_flow *flow, unsigned int block)
{
	unsigned int slots = configuration(flow)->udp ? URING_UDP_SEND_SLOTS : 1;

	return flow->first_send_slot + block % slots * flow->send_stride_bytes;
}

/* At once or, by the clock, already past. */
static bool is_due(uint64_t due_ns)
{
	return due_ns == 0 || due_ns <= clock_now_ns();
}

/* Fills until as many slots as that are filled and not sent, or nothing more is due. */
static void fill_what_is_due(struct uring_flow *flow, unsigned int slots)
{
	while (flow->filled - flow->sent < slots && is_due(flow_due_ns(flow->common.flow))) {
		size_t bytes = flow_fill(flow->common.flow, flow->worker->buffer,
					 send_slot(flow, flow->filled));

		if (bytes == 0)
			return;
		flow->block_bytes = bytes; /* differs over TCP alone, which has one slot */
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

static void send_block(struct uring_flow *flow, unsigned int block)
{
	struct io_uring_sqe *request = uring_request(flow->worker);
	size_t done = block == flow->sent ? flow->sent_bytes : 0;

	io_uring_prep_send(request, flow_fd(flow->common.flow), send_slot(flow, block) + done,
			   flow->block_bytes - done, MSG_NOSIGNAL | MSG_WAITALL);
	request->user_data = uring_tag_encode(flow, URING_SEND);
	flow->sends_in_flight++;
}

/* How many datagrams find room in the socket's buffer, whatever the kernel rounds up to; at
 * least 1. */
static unsigned int datagrams_that_fit(struct uring_flow *flow)
{
	size_t each_bytes = 2 * (flow->block_bytes + DATAGRAM_OVERHEAD_BYTES);
	int fd = flow_fd(flow->common.flow), buffer_bytes = 0, queued_bytes = 0;
	socklen_t length = sizeof(buffer_bytes);
	size_t fit;

	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer_bytes, &length) < 0 ||
	    ioctl(fd, SIOCOUTQ, &queued_bytes) < 0 || queued_bytes >= buffer_bytes)
		return 1;
	fit = (size_t)(buffer_bytes - queued_bytes) / each_bytes;
	if (fit > URING_UDP_SEND_SLOTS)
		return URING_UDP_SEND_SLOTS;
	return fit > 1 ? (unsigned int)fit : 1;
}

void uring_send_next(struct uring_flow *flow)
{
	uint64_t due_ns = flow_due_ns(flow->common.flow);

	/* After an error, what is filled waits for the pause that the flow wants. */
	if ((flow->send_failed || flow->filled == flow->sent) && !is_due(due_ns)) {
		wait_until(flow, due_ns);
		return;
	}
	flow->send_failed = false;
	fill_what_is_due(flow, configuration(flow)->udp ? datagrams_that_fit(flow) : 1);
	if (flow->filled == flow->sent) {
		wait_until(flow, flow_due_ns(flow->common.flow));
		return;
	}
	for (unsigned int block = flow->sent; block != flow->filled; block++)
		send_block(flow, block);
}

static void count_result(struct uring_flow *flow, int result)
{
	bool was_broken_off = result == -ECANCELED || result == -EINTR || result == -EAGAIN;

	if (result >= 0) {
		flow->sent_bytes += (size_t)result;
		flow_sent(flow->common.flow, (size_t)result, flow->sent_bytes == flow->block_bytes);
		if (flow->sent_bytes < flow->block_bytes)
			return;
	} else {
		if (!was_broken_off) {
			flow->send_failed = true;
			if (!flow_goes_on(flow->common.flow, -result))
				uring_flow_end(flow);
		}
		/*
		 * TCP sends it again; of datagrams, others may be on their way already. One that
		 * was cancelled, as the flow is ending, is none that was lost.
		 */
		if (!configuration(flow)->udp || result == -ECANCELED)
			return;
		flow_dropped(flow->common.flow);
	}
	flow->sent_bytes = 0;
	flow->sent++;
}

void uring_sent(struct uring_flow *flow, int result)
{
	flow->sends_in_flight--;
	count_result(flow, result);
	if (flow->sends_in_flight == 0 && !flow->ending)
		uring_send_next(flow);
}
