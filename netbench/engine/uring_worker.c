/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A worker: one thread with a ring of its own, which it makes, uses and closes.
 *
 * Each turn hands the new requests to the kernel, takes up commands, lets flows that were refused a
 * slot ask again, empties the sockets of stopped flows a little, and works off the completions that
 * are there. Every part of a turn is bounded, and commands come first, while all request entries
 * are free, so no flow keeps others or commands waiting. The worker sleeps only when nothing is
 * left over from the turn before.
 *
 * A flow is handed back when nothing of it is with the kernel any more. A cancellation reaches one
 * of a flow's sends, and may come when that is just being worked off, so it is repeated until that
 * is so.
 */
#define _GNU_SOURCE
#include "netbench/engine/uring_private.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How many flows ask for slots again in one turn: more could not be served. */
#define SLOT_SEEKERS_A_TURN URING_TCP_SLOTS

/* -- requests and lists -------------------------------------------------------------------- */

static bool has_room(struct uring_worker *worker)
{
	return io_uring_sq_space_left(&worker->ring) >= URING_REQUESTS_A_STEP;
}

struct io_uring_sqe *uring_request(struct uring_worker *worker)
{
	return io_uring_get_sqe(&worker->ring);
}

void uring_list_add(struct uring_flow_list *list, struct uring_flow *flow)
{
	flow->next_listed = NULL;
	flow->listed = list;
	if (list->last)
		list->last->next_listed = flow;
	else
		list->first = flow;
	list->last = flow;
}

void uring_list_remove(struct uring_flow *flow)
{
	struct uring_flow_list *list = flow->listed;
	struct uring_flow *before = NULL;

	if (!list)
		return;
	for (struct uring_flow *each = list->first; each != flow; each = each->next_listed)
		before = each;
	if (before)
		before->next_listed = flow->next_listed;
	else
		list->first = flow->next_listed;
	if (list->last == flow)
		list->last = before;
	flow->listed = NULL;
}

/* -- the end of a flow --------------------------------------------------------------------- */

static void cancel(struct uring_flow *flow, enum uring_operation operation)
{
	struct io_uring_sqe *request = uring_request(flow->worker);

	io_uring_prep_cancel64(request, uring_tag_encode(flow, operation), 0);
	request->user_data = uring_tag_encode(flow, URING_CANCEL);
	flow->cancels_in_flight++;
}

static bool is_with_the_kernel(const struct uring_flow *flow)
{
	return flow->receive_armed || flow->timer_armed || flow->sends_in_flight > 0;
}

void uring_flow_end(struct uring_flow *flow)
{
	flow->ending = true;
	uring_list_remove(flow);
}

static void hand_back(struct uring_flow *flow)
{
	struct uring_worker *worker = flow->worker;
	struct uring_flow *before = NULL;

	pthread_mutex_lock(&worker->lock);
	if (flow->queued) {
		struct uring_flow_list *commands = &worker->commands;

		for (struct uring_flow *each = commands->first; each != flow;
		     each = each->next_command)
			before = each;
		if (before)
			before->next_command = flow->next_command;
		else
			commands->first = flow->next_command;
		if (commands->last == flow)
			commands->last = before;
		flow->queued = false;
	}
	flow->ended = true;
	pthread_mutex_unlock(&worker->lock);
	engine_flow_ended(worker->engine, &flow->common);
}

/* What is next for a flow that is ending; it may be gone afterwards. */
static void settle(struct uring_flow *flow)
{
	bool receives = flow_configuration(flow->common.flow)->role == FLOW_RECEIVER;

	if (!flow->ending || flow->cancels_in_flight > 0 || flow->listed)
		return;
	if (flow->receive_armed)
		cancel(flow, URING_RECEIVE);
	if (flow->sends_in_flight > 0)
		cancel(flow, URING_SEND);
	if (flow->timer_armed)
		cancel(flow, URING_TIMER);
	if (is_with_the_kernel(flow))
		return;
	if (receives && !flow->drained)
		uring_list_add(&flow->worker->draining, flow);
	else
		hand_back(flow);
}

/* -- the parts of a turn ------------------------------------------------------------------- */

static void start(struct uring_flow *flow)
{
	flow->started = true;
	switch (flow_configuration(flow->common.flow)->role) {
	case FLOW_RECEIVER:
		uring_receive_arm(flow);
		break;
	case FLOW_SENDER:
		uring_send_next(flow);
		break;
	case FLOW_ECHO:
		uring_echo_arm(flow);
		break;
	}
}

static void take_commands(struct uring_worker *worker)
{
	while (worker->has_commands && has_room(worker)) {
		struct uring_flow *flow;
		bool stop = false;

		pthread_mutex_lock(&worker->lock);
		flow = worker->commands.first;
		if (flow) {
			worker->commands.first = flow->next_command;
			if (!worker->commands.first)
				worker->commands.last = NULL;
			flow->queued = false;
			stop = flow->stop_asked;
		}
		pthread_mutex_unlock(&worker->lock);
		if (!flow) {
			worker->has_commands = false;
			return;
		}
		if (!flow->started)
			start(flow);
		if (stop && !flow->ending)
			uring_flow_end(flow);
		settle(flow);
	}
}

static void seek_slots(struct uring_worker *worker)
{
	for (int i = 0; i < SLOT_SEEKERS_A_TURN && has_room(worker); i++) {
		struct uring_flow *flow = worker->starved.first;

		if (!flow)
			flow = worker->for_slots.first;
		if (!flow)
			return;
		uring_list_remove(flow);
		uring_receive_arm(flow);
	}
}

static void drain(struct uring_worker *worker)
{
	struct uring_flow *last = worker->draining.last;
	bool more = last;

	while (more) {
		struct uring_flow *flow = worker->draining.first;

		more = flow != last;
		uring_list_remove(flow);
		flow->drained = uring_drain(flow);
		settle(flow);
	}
}

static void wake(struct uring_worker *worker)
{
	uint64_t count;

	worker->wake_armed = false;
	worker->has_commands = true;
	if (read(worker->wake_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
		perror("netbench: eventfd");
}

static void arm_wake(struct uring_worker *worker)
{
	struct io_uring_sqe *request;

	if (worker->wake_armed || !has_room(worker))
		return;
	request = uring_request(worker);
	io_uring_prep_poll_add(request, worker->wake_fd, POLLIN);
	request->user_data = uring_tag_encode(NULL, URING_WAKE);
	worker->wake_armed = true;
}

static void complete(struct uring_worker *worker, uint64_t user_data, int result, uint32_t flags)
{
	struct uring_flow *flow;
	enum uring_operation operation = uring_tag_decode(user_data, &flow);
	bool echoes = flow && flow_configuration(flow->common.flow)->role == FLOW_ECHO;

	switch (operation) {
	case URING_WAKE:
		wake(worker);
		return;
	case URING_RECEIVE:
		flow->receive_armed = flags & IORING_CQE_F_MORE;
		if (echoes)
			uring_echo_received(flow, result, flags);
		else
			uring_received(flow, result, flags);
		break;
	case URING_SEND:
		if (echoes)
			uring_echo_sent(flow, result);
		else
			uring_sent(flow, result);
		break;
	case URING_TIMER:
		flow->timer_armed = false;
		if (!flow->ending)
			uring_send_next(flow);
		break;
	case URING_CANCEL:
		flow->cancels_in_flight--;
		break;
	}
	settle(flow);
}

/* Those that are there now; what they lead to belongs to the next turn. */
static void complete_all(struct uring_worker *worker)
{
	for (unsigned int ready = io_uring_cq_ready(&worker->ring); ready > 0 && has_room(worker);
	     ready--) {
		struct io_uring_cqe *completion, copy;

		if (io_uring_peek_cqe(&worker->ring, &completion) < 0)
			return;
		copy = *completion;
		io_uring_cqe_seen(&worker->ring, completion);
		complete(worker, copy.user_data, copy.res, copy.flags);
	}
}

static bool has_more_to_do(struct uring_worker *worker)
{
	return worker->has_commands || !worker->wake_armed || worker->starved.first ||
	       worker->for_slots.first || worker->draining.first ||
	       io_uring_cq_ready(&worker->ring) > 0;
}

/*
 * While datagrams come, the worker sleeps for a moment in which some of them gather, whatever
 * comes. Being woken for each costs the sender more than a datagram, where both are on one machine:
 * over a veth pair, the stock client then sends a fifth more. A socket's buffer holds many times as
 * many.
 */
static int wait_for_datagrams(struct uring_worker *worker)
{
	struct __kernel_timespec limit = { .tv_nsec = URING_GATHER_NS };
	struct io_uring_cqe *completion;
	int result = io_uring_submit_and_wait_timeout(&worker->ring, &completion, URING_UDP_SLOTS,
						      &limit, NULL);

	return result == -ETIME ? 0 : result;
}

static void submit(struct uring_worker *worker)
{
	int result;

	if (has_more_to_do(worker))
		result = io_uring_submit_and_get_events(&worker->ring);
	else if (worker->datagrams_came && worker->ring.features & IORING_FEAT_EXT_ARG)
		result = wait_for_datagrams(worker);
	else
		result = io_uring_submit_and_wait(&worker->ring, 1);
	worker->datagrams_came = false;

	/* These pass: a signal, no memory for the moment, completions that were not fetched yet. */
	if (result >= 0 || result == -EINTR || result == -EAGAIN || result == -EBUSY)
		return;
	if (!worker->submit_error)
		fprintf(stderr, "netbench: io_uring: submitting: %s; flows may hang\n",
			strerror(-result));
	worker->submit_error = result;
}

static bool is_to_leave(struct uring_worker *worker)
{
	bool leave;

	pthread_mutex_lock(&worker->lock);
	leave = worker->leave;
	pthread_mutex_unlock(&worker->lock);
	return leave;
}

static void run_turns(struct uring_worker *worker)
{
	for (;;) {
		submit(worker);
		arm_wake(worker);
		if (worker->has_commands && is_to_leave(worker))
			return;
		take_commands(worker);
		seek_slots(worker);
		drain(worker);
		complete_all(worker);
	}
}

/* -- the thread ---------------------------------------------------------------------------- */

static int open_slots(struct uring_worker *worker)
{
	unsigned int align = worker->buffer->source_align;
	int error;

	if (worker->tier == URING_TIER_C)
		return 0;
	error = uring_slots_create(&worker->slots[URING_GROUP_TCP], &worker->ring, URING_GROUP_TCP,
				   URING_TCP_SLOTS, worker->slot_bytes, align);
	if (error)
		return error;
	return uring_slots_create(&worker->slots[URING_GROUP_UDP], &worker->ring, URING_GROUP_UDP,
				  URING_UDP_SLOTS, ENGINE_DATAGRAM_SLOT_BYTES, align);
}

static void report_open(struct uring_worker *worker, int error)
{
	pthread_mutex_lock(&worker->lock);
	worker->is_open = true;
	worker->open_error = error;
	pthread_cond_signal(&worker->opened);
	pthread_mutex_unlock(&worker->lock);
}

void *uring_worker_run(void *argument)
{
	struct uring_worker *worker = argument;
	int error =
		uring_ring_open(&worker->ring, worker->tier, URING_SQ_ENTRIES, URING_CQ_ENTRIES);

	if (error) {
		report_open(worker, error);
		return NULL;
	}
	error = open_slots(worker);
	report_open(worker, error);
	if (!error)
		run_turns(worker);
	io_uring_queue_exit(&worker->ring);
	for (int group = 0; group < URING_GROUPS; group++)
		uring_slots_destroy(&worker->slots[group]);
	return NULL;
}
