/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Echo flows: receive, copy into the send slot, send, and only then receive again. So a peer that
 * does not read its answers is not read from either, and nothing piles up.
 *
 * TCP takes a slot out of the worker's common ones when bytes are there, so a connection that is
 * idle holds none. UDP has slots of its own, and with each datagram keeps the sender's address and
 * which of our addresses it came to, as the answer must leave from that one.
 */
#include "netbench/engine/uring_private.h"

#include <errno.h>

static bool is_udp(const struct uring_flow *flow)
{
	return flow_configuration(flow->common.flow)->udp;
}

void uring_echo_arm(struct uring_flow *flow)
{
	struct uring_datagram *datagram = flow->datagram;
	struct io_uring_sqe *request;

	if (!datagram) {
		uring_receive_arm(flow);
		return;
	}
	datagram->slot =
		(struct iovec){ .iov_base = flow->receive_slot, .iov_len = flow->receive_bytes };
	datagram->message = (struct msghdr){
		.msg_name = &datagram->from,
		.msg_namelen = sizeof(datagram->from),
		.msg_iov = &datagram->slot,
		.msg_iovlen = 1,
		.msg_control = datagram->control,
		.msg_controllen = sizeof(datagram->control),
	};
	request = uring_request(flow->worker);
	io_uring_prep_recvmsg(request, flow_fd(flow->common.flow), &datagram->message, 0);
	request->user_data = uring_tag_encode(flow, URING_RECEIVE);
	flow->receive_armed = true;
}

static void send_answer(struct uring_flow *flow)
{
	struct io_uring_sqe *request = uring_request(flow->worker);
	int fd = flow_fd(flow->common.flow);

	if (is_udp(flow)) {
		flow->datagram->slot = (struct iovec){ .iov_base = flow->first_send_slot,
						       .iov_len = flow->block_bytes };
		io_uring_prep_sendmsg(request, fd, &flow->datagram->message, MSG_NOSIGNAL);
	} else {
		io_uring_prep_send(request, fd, flow->first_send_slot + flow->sent_bytes,
				   flow->block_bytes - flow->sent_bytes,
				   MSG_NOSIGNAL | MSG_WAITALL);
	}
	request->user_data = uring_tag_encode(flow, URING_SEND);
	flow->sends_in_flight++;
}

static void answer(struct uring_flow *flow, const unsigned char *slot, size_t bytes)
{
	flow_echo(flow->common.flow, flow->worker->buffer, flow->first_send_slot, slot, bytes);
	flow->block_bytes = bytes;
	flow->sent_bytes = 0;
	send_answer(flow);
}

static bool is_broken_off(int result)
{
	return result == -EINTR || result == -EAGAIN || result == -ECANCELED;
}

void uring_echo_received(struct uring_flow *flow, int result, uint32_t flags)
{
	const unsigned char *slot = uring_received_slot(flow, flags);
	bool answers = !flow->ending && slot && (result > 0 || (result == 0 && is_udp(flow)));

	if (answers && is_udp(flow))
		answers = flow_echo_answers(flow->common.flow, flow->datagram->message.msg_name);
	if (answers)
		answer(flow, slot, (size_t)result);
	uring_received_slot_return(flow, flags);
	if (answers || flow->ending)
		return;
	if (result == 0 && !is_udp(flow))
		uring_flow_end(flow);
	else if (result == -ENOBUFS && !flow->receive_slot)
		uring_receive_arm_later(flow);
	else if (result >= 0 || is_broken_off(result) || flow_goes_on(flow->common.flow, -result))
		uring_echo_arm(flow);
	else
		uring_flow_end(flow);
}

void uring_echo_sent(struct uring_flow *flow, int result)
{
	flow->sends_in_flight--;
	if (result >= 0) {
		flow->sent_bytes += (size_t)result;
		flow_sent(flow->common.flow, (size_t)result, flow->sent_bytes == flow->block_bytes);
	}
	if (flow->ending)
		return;
	if (is_broken_off(result) || (result >= 0 && flow->sent_bytes < flow->block_bytes))
		send_answer(flow);
	else if (result >= 0 || flow_goes_on(flow->common.flow, -result))
		uring_echo_arm(flow);
	else
		uring_flow_end(flow);
}
