/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Engine "threads": a thread a flow, with plain blocking calls. Works everywhere.
 *
 * Each thread is a worker of its own, with its buffer and slots; engine_options.workers is not
 * used.
 *
 * A stop must get a thread out of the call it sleeps in, and leave the connection as it is (after
 * shutdown(), nobody could tell any more when the peer closes). So the stopping flag is set, the
 * descriptor is made non-blocking, so that no later call sleeps, and a signal breaks off the call
 * that sleeps now. The signal is SIGURG: by default it is ignored, so a late one does no harm.
 */
#define _GNU_SOURCE /* sem_clockwait */
#include "netbench/engine/engine_private.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "netbench/clock.h"

#define RECEIVE_SLOT_BYTES ((size_t)128 << 10)
#define STACK_BYTES	   ((size_t)256 << 10)
#define STOP_SIGNAL	   SIGURG

struct threads_engine {
	struct engine common;
	struct flow_buffer_options buffer_options;
	size_t slot_bytes;
	pthread_attr_t attributes;
};

struct slot {
	void *memory; /* what free() takes */
	unsigned char *data;
	size_t bytes;
};

struct thread_flow {
	struct engine_flow common;
	struct engine *engine;
	pthread_t thread;
	struct flow_buffer *buffer;
	struct slot receive;
	struct slot send;
	atomic_bool stopping;
	sem_t stopped;		 /* posted with it, for a thread that waits until a block is due */
	uint64_t stop_before_ns; /* 0: the thread has not yet seen that it is to stop */
};

static bool is_stopping(const struct thread_flow *thread)
{
	return atomic_load_explicit(&thread->stopping, memory_order_relaxed);
}

/* By a stop; the flag tells. */
static bool is_broken_off(int error)
{
	return error == EINTR || error == EAGAIN;
}

/* -- receiving ----------------------------------------------------------------------------- */

static bool stop_limit_reached(struct thread_flow *thread)
{
	if (!is_stopping(thread))
		return false;
	if (!thread->stop_before_ns)
		thread->stop_before_ns = clock_now_ns() + ENGINE_STOP_LIMIT_NS;
	return clock_now_ns() >= thread->stop_before_ns;
}

static void run_receiver(struct thread_flow *thread)
{
	struct flow *flow = thread->common.flow;
	bool udp = flow_configuration(flow)->udp;
	int fd = flow_fd(flow);

	while (!stop_limit_reached(thread)) {
		ssize_t bytes = recv(fd, thread->receive.data, thread->receive.bytes, 0);

		if (bytes > 0)
			flow_received(flow, thread->buffer, thread->receive.data, (size_t)bytes);
		else if (bytes == 0 && !udp)
			return;
		else if (bytes < 0 && errno == EAGAIN && is_stopping(thread))
			return;
		else if (bytes < 0 && !is_broken_off(errno) && !flow_goes_on(flow, errno))
			return;
	}
}

/* -- sending ------------------------------------------------------------------------------- */

/* False: the flow is to stop. */
static bool wait_until_due(struct thread_flow *thread)
{
	uint64_t due_ns = flow_due_ns(thread->common.flow);
	struct timespec due = {
		.tv_sec = (time_t)(due_ns / NS_PER_S),
		.tv_nsec = (long)(due_ns % NS_PER_S),
	};

	if (due_ns > 0 && due_ns > clock_now_ns())
		while (sem_clockwait(&thread->stopped, CLOCK_MONOTONIC, &due) < 0 && errno == EINTR)
			;
	return !is_stopping(thread);
}

/* Sends what begins at data; false: the flow is to stop or has failed. */
static bool send_block(struct thread_flow *thread, const unsigned char *data, size_t bytes)
{
	struct flow *flow = thread->common.flow;
	size_t sent = 0;

	do {
		ssize_t taken = send(flow_fd(flow), data + sent, bytes - sent, MSG_NOSIGNAL);

		if (taken >= 0) {
			sent += (size_t)taken;
			flow_sent(flow, (size_t)taken, sent == bytes);
		} else if (!is_broken_off(errno)) {
			if (!flow_goes_on(flow, errno) || !wait_until_due(thread))
				return false;
		}
		if (is_stopping(thread))
			return false;
	} while (sent < bytes);
	return true;
}

static void run_sender(struct thread_flow *thread)
{
	struct flow *flow = thread->common.flow;
	size_t bytes;

	/* By default the kernel lets a thread sleep 50 us longer than asked. */
	if (flow_configuration(flow)->rate_bits_per_s > 0)
		prctl(PR_SET_TIMERSLACK, 1UL);
	flow_pattern_fill(thread->send.data, flow_send_bytes(flow));
	while (wait_until_due(thread)) {
		bytes = flow_fill(flow, thread->buffer, thread->send.data);
		if (bytes > 0 && !send_block(thread, thread->send.data, bytes))
			return;
	}
}

/* -- echo ---------------------------------------------------------------------------------- */

static void run_echo_tcp(struct thread_flow *thread)
{
	struct flow *flow = thread->common.flow;

	while (!is_stopping(thread)) {
		ssize_t bytes = recv(flow_fd(flow), thread->receive.data, thread->receive.bytes, 0);

		if (bytes == 0)
			return;
		if (bytes > 0) {
			flow_echo(flow, thread->buffer, thread->send.data, thread->receive.data,
				  (size_t)bytes);
			if (!send_block(thread, thread->send.data, (size_t)bytes))
				return;
		} else if (!is_broken_off(errno) && !flow_goes_on(flow, errno)) {
			return;
		}
	}
}

static void answer_datagram(struct thread_flow *thread, struct msghdr *message, size_t bytes)
{
	struct flow *flow = thread->common.flow;
	struct iovec answer = { .iov_base = thread->send.data, .iov_len = bytes };
	ssize_t sent;

	if (!flow_echo_answers(flow, message->msg_name))
		return;
	flow_echo(flow, thread->buffer, thread->send.data, thread->receive.data, bytes);
	message->msg_iov = &answer;
	do
		sent = sendmsg(flow_fd(flow), message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR && !is_stopping(thread));
	if (sent >= 0)
		flow_sent(flow, (size_t)sent, true);
	else if (!is_broken_off(errno))
		flow_goes_on(flow, errno);
}

static void run_echo_udp(struct thread_flow *thread)
{
	struct flow *flow = thread->common.flow;

	while (!is_stopping(thread)) {
		_Alignas(struct cmsghdr) unsigned char control[ENGINE_CONTROL_BYTES];
		struct sockaddr_storage from;
		struct iovec slot = { .iov_base = thread->receive.data,
				      .iov_len = thread->receive.bytes };
		struct msghdr message = {
			.msg_name = &from,
			.msg_namelen = sizeof(from),
			.msg_iov = &slot,
			.msg_iovlen = 1,
			.msg_control = control,
			.msg_controllen = sizeof(control),
		};
		ssize_t bytes = recvmsg(flow_fd(flow), &message, 0);

		if (bytes >= 0)
			answer_datagram(thread, &message, (size_t)bytes);
		else if (!is_broken_off(errno) && !flow_goes_on(flow, errno))
			return;
	}
}

/* -- threads ------------------------------------------------------------------------------- */

static void *run(void *argument)
{
	struct thread_flow *thread = argument;
	const struct flow_config *config = flow_configuration(thread->common.flow);

	switch (config->role) {
	case FLOW_RECEIVER:
		run_receiver(thread);
		break;
	case FLOW_SENDER:
		run_sender(thread);
		break;
	case FLOW_ECHO:
		if (config->udp)
			run_echo_udp(thread);
		else
			run_echo_tcp(thread);
		break;
	}
	engine_flow_ended(thread->engine, &thread->common);
	return NULL;
}

/* The thread takes no signal that the program waits for; only the one that stops it. */
static int start(struct thread_flow *thread, const pthread_attr_t *attributes)
{
	sigset_t all_but_stop, before;
	int error;

	sigfillset(&all_but_stop);
	sigdelset(&all_but_stop, STOP_SIGNAL);
	pthread_sigmask(SIG_SETMASK, &all_but_stop, &before);
	error = pthread_create(&thread->thread, attributes, run, thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static bool slot_allocate(struct slot *slot, size_t bytes, unsigned int align)
{
	slot->bytes = bytes;
	slot->memory = flow_slot_allocate(bytes, align, &slot->data);
	return slot->memory != NULL;
}

static bool allocate(struct thread_flow *thread, const struct threads_engine *engine)
{
	const struct flow_config *config = flow_configuration(thread->common.flow);
	struct flow_buffer_options options = engine->buffer_options;
	size_t receive_bytes = config->udp ? ENGINE_DATAGRAM_SLOT_BYTES : engine->slot_bytes;
	size_t send_bytes =
		config->role == FLOW_SENDER ? flow_send_bytes(thread->common.flow) : receive_bytes;

	options.receives = config->role == FLOW_RECEIVER;
	options.sends = config->role == FLOW_SENDER;
	thread->buffer = flow_buffer_create(&options);
	return thread->buffer &&
	       (config->role == FLOW_SENDER ||
		slot_allocate(&thread->receive, receive_bytes, options.source_align)) &&
	       (config->role == FLOW_RECEIVER ||
		slot_allocate(&thread->send, send_bytes, options.destination_align));
}

static void thread_flow_free(struct thread_flow *thread)
{
	flow_buffer_destroy(thread->buffer);
	free(thread->receive.memory);
	free(thread->send.memory);
	sem_destroy(&thread->stopped);
	free(thread);
}

static struct engine_flow *threads_add(struct engine *common, struct flow *flow, int *error)
{
	struct threads_engine *engine = (struct threads_engine *)common;
	struct thread_flow *thread = calloc(1, sizeof(*thread));

	*error = -ENOMEM;
	if (!thread)
		return NULL;
	thread->common.flow = flow;
	thread->engine = common;
	sem_init(&thread->stopped, 0, 0);
	if (allocate(thread, engine)) {
		*error = -start(thread, &engine->attributes);
		if (*error == 0)
			return &thread->common;
	}
	thread_flow_free(thread);
	return NULL;
}

static void threads_stop(struct engine *engine, struct engine_flow *engine_flow)
{
	struct thread_flow *thread = (struct thread_flow *)engine_flow;
	int fd = flow_fd(engine_flow->flow);

	(void)engine;
	atomic_store_explicit(&thread->stopping, true, memory_order_relaxed);
	sem_post(&thread->stopped);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	pthread_kill(thread->thread, STOP_SIGNAL);
}

static void threads_release(struct engine *engine, struct engine_flow *engine_flow)
{
	struct thread_flow *thread = (struct thread_flow *)engine_flow;

	(void)engine;
	pthread_join(thread->thread, NULL);
	thread_flow_free(thread);
}

/* -- the engine ---------------------------------------------------------------------------- */

static void break_off(int signal)
{
	(void)signal;
}

static struct engine *threads_open(const struct engine_options *options, char *why, size_t why_size)
{
	struct sigaction action = { .sa_handler =
					    break_off }; /* without SA_RESTART: that is the point */
	struct threads_engine *engine = calloc(1, sizeof(*engine));

	if (!engine) {
		snprintf(why, why_size, "threads: out of memory");
		errno = ENOMEM;
		return NULL;
	}
	engine->buffer_options = engine_buffer_options(options);
	engine->slot_bytes = options->slot_bytes ? options->slot_bytes : RECEIVE_SLOT_BYTES;
	sigaction(STOP_SIGNAL, &action, NULL);
	pthread_attr_init(&engine->attributes);
	pthread_attr_setstacksize(&engine->attributes, STACK_BYTES);
	snprintf(engine->common.description, sizeof(engine->common.description),
		 "threads, one a flow, receive slots of %zu KiB", engine->slot_bytes >> 10);
	return &engine->common;
}

static void threads_close(struct engine *common)
{
	struct threads_engine *engine = (struct threads_engine *)common;

	pthread_attr_destroy(&engine->attributes);
	free(engine);
}

const struct engine_type engine_threads = {
	.name = "threads",
	.open = threads_open,
	.add = threads_add,
	.stop = threads_stop,
	.release = threads_release,
	.close = threads_close,
};
