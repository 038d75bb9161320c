/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Receiving flows.
 *
 * Tiers A and B: one multishot receive takes slot after slot out of the worker's common ones, until
 * something ends it: no slot is free, a datagram without bytes, the kernel's wish. Whatever it was,
 * it is asked for again; a flow that found no slot free waits in a list until the slots have been
 * given back.
 * Tier C, and datagrams of which few find room in the socket's buffer: one receive at a time into a
 * slot of the flow's own, which stays in the cache.
 *
 * A flow that was stopped first loses its request, then empties its socket by plain reads.
 */
#include "netbench/engine/uring_private.h"

#include <errno.h>
#include <sys/socket.h>

#include "netbench/clock.h"

/*
 * A socket's buffer has to hold so many datagrams that those which come while a worker sleeps or
 * copies fill a small part of it. By default this leaves out datagrams of more than 3,328 bytes: of
 * 65,507 bytes only three find room, and on loopback a fifth of them was lost while the worker
 * slept; those of 8,192 came at 16 Gbit/s by the common slots, at 22 by one that stays in the
 * cache.
 */
#define GATHER_ROOM 64

static struct uring_slots *slots_for(const struct uring_flow *flow)
{
	bool udp = flow_configuration(flow->common.flow)->udp;

	return &flow->worker->slots[udp ? URING_GROUP_UDP : URING_GROUP_TCP];
}

size_t uring_gather_bytes_max(int fd)
{
	int buffer_bytes = 0;
	socklen_t length = sizeof(buffer_bytes);

	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer_bytes, &length) < 0 || buffer_bytes < 0)
		return 0;
	return (size_t)buffer_bytes / GATHER_ROOM;
}

void uring_receive_arm(struct uring_flow *flow)
{
	struct io_uring_sqe *request = uring_request(flow->worker);
	int fd = flow_fd(flow->common.flow);

	if (flow->receive_slot) {
		io_uring_prep_recv(request, fd, flow->receive_slot, flow->receive_bytes, 0);
	} else {
		/* An echo takes one slot at a time: what it has not answered stays in the socket.
		 */
		if (flow_configuration(flow->common.flow)->role == FLOW_ECHO)
			io_uring_prep_recv(request, fd, NULL, 0, 0);
		else
			io_uring_prep_recv_multishot(request, fd, NULL, 0, 0);
		request->flags |= IOSQE_BUFFER_SELECT;
		request->buf_group = slots_for(flow)->group;
	}
	request->user_data = uring_tag_encode(flow, URING_RECEIVE);
	flow->receive_armed = true;
	flow->was_served = false;
}

/*
 * A busy flow takes all slots there are, then finds none. If it were the first to ask again, it
 * would take them all again; so those that got nothing go before those that got something.
 */
void uring_receive_arm_later(struct uring_flow *flow)
{
	struct uring_worker *worker = flow->worker;

	uring_list_add(flow->was_served ? &worker->for_slots : &worker->starved, flow);
}

unsigned char *uring_received_slot(const struct uring_flow *flow, uint32_t flags)
{
	if (flow->receive_slot)
		return flow->receive_slot;
	if (!(flags & IORING_CQE_F_BUFFER))
		return NULL;
	return uring_slot(slots_for(flow), flags >> IORING_CQE_BUFFER_SHIFT);
}

void uring_received_slot_return(struct uring_flow *flow, uint32_t flags)
{
	if (flags & IORING_CQE_F_BUFFER)
		uring_slot_return(slots_for(flow), flags >> IORING_CQE_BUFFER_SHIFT);
}

/* After a completion that ended the request. */
static void receive_again(struct uring_flow *flow, int result)
{
	if (flow->ending)
		return;
	if (result == -ENOBUFS && !flow->receive_slot)
		uring_receive_arm_later(flow);
	else
		uring_receive_arm(flow);
}

static bool is_routine(int result)
{
	return result >= 0 || result == -ENOBUFS || result == -ECANCELED || result == -EINTR ||
	       result == -EAGAIN;
}

void uring_received(struct uring_flow *flow, int result, uint32_t flags)
{
	const unsigned char *slot = uring_received_slot(flow, flags);
	bool udp = flow_configuration(flow->common.flow)->udp;

	if (result > 0 && slot) {
		flow_received(flow->common.flow, flow->worker->buffer, slot, (size_t)result);
		flow->was_served = true;
		if ((size_t)result <= flow->gather_bytes_max)
			flow->worker->datagrams_came = true;
	}
	uring_received_slot_return(flow, flags);

	if ((result == 0 && !udp) ||
	    (!is_routine(result) && !flow_goes_on(flow->common.flow, -result))) {
		flow->drained = true;
		uring_flow_end(flow);
	} else if (!flow->receive_armed) {
		receive_again(flow, result);
	}
}

/* -- the end ------------------------------------------------------------------------------- */

bool uring_drain(struct uring_flow *flow)
{
	struct uring_worker *worker = flow->worker;
	struct uring_slots *slots = slots_for(flow);
	unsigned char *slot = flow->receive_slot ? flow->receive_slot : worker->drain_slot;
	size_t slot_bytes = flow->receive_slot ? flow->receive_bytes : slots->slot_bytes;
	bool udp = flow_configuration(flow->common.flow)->udp;

	for (int i = 0; i < URING_DRAIN_READS; i++) {
		ssize_t bytes = recv(flow_fd(flow->common.flow), slot, slot_bytes, MSG_DONTWAIT);

		if (bytes > 0)
			flow_received(flow->common.flow, worker->buffer, slot, (size_t)bytes);
		else if (bytes == 0 && !udp)
			return true;
		else if (bytes < 0 && errno == EAGAIN)
			return true;
		else if (bytes < 0 && errno != EINTR && !flow_goes_on(flow->common.flow, errno))
			return true;
	}
	if (!flow->stop_before_ns)
		flow->stop_before_ns = clock_now_ns() + ENGINE_STOP_LIMIT_NS;
	return clock_now_ns() >= flow->stop_before_ns;
}
