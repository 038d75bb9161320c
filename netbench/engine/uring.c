/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Engine "uring", the control thread's side: it opens workers, spreads flows over them and hands
 * them commands through a queue and an eventfd. uring_private.h says what lies where.
 *
 * All memory of a flow is made here, so that a lack of it is an error of engine_add().
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "netbench/engine/uring_private.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct uring_engine {
	struct engine common;
	enum uring_tier tier;
	size_t slot_bytes;
	struct flow_buffer_options buffer_options;
	unsigned int worker_count;
	struct uring_worker workers[ENGINE_WORKERS_MAX];
};

/* -- commands ------------------------------------------------------------------------------ */

static void wake_worker(struct uring_worker *worker)
{
	uint64_t one = 1;

	/* Cannot fail: the worker takes the counter back to zero long before it is full. */
	if (write(worker->wake_fd, &one, sizeof(one)) < 0)
		perror("netbench: eventfd");
}

static void command(struct uring_flow *flow, bool stop)
{
	struct uring_worker *worker = flow->worker;

	pthread_mutex_lock(&worker->lock);
	flow->stop_asked |= stop;
	if (!flow->queued && !flow->ended) {
		flow->queued = true;
		flow->next_command = NULL;
		if (worker->commands.last)
			worker->commands.last->next_command = flow;
		else
			worker->commands.first = flow;
		worker->commands.last = flow;
	}
	pthread_mutex_unlock(&worker->lock);
	wake_worker(worker);
}

/* -- flows --------------------------------------------------------------------------------- */

static bool needs_receive_slot(const struct uring_engine *engine, const struct uring_flow *flow)
{
	const struct flow_config *config = flow_configuration(flow->common.flow);

	if (config->role == FLOW_SENDER)
		return false;
	if (config->udp &&
	    (config->role == FLOW_ECHO || config->block_bytes > flow->gather_bytes_max))
		return true;
	return engine->tier == URING_TIER_C;
}

static bool allocate_receive_slot(struct uring_engine *engine, struct uring_flow *flow)
{
	const struct flow_config *config = flow_configuration(flow->common.flow);

	if (!needs_receive_slot(engine, flow))
		return true;
	flow->receive_bytes = config->udp ? ENGINE_DATAGRAM_SLOT_BYTES : engine->slot_bytes;
	flow->receive_memory = flow_slot_allocate(
		flow->receive_bytes, engine->buffer_options.source_align, &flow->receive_slot);
	return flow->receive_memory != NULL;
}

static bool allocate_send_slots(struct uring_engine *engine, struct uring_flow *flow)
{
	const struct flow_config *config = flow_configuration(flow->common.flow);
	size_t count = 1, slot_bytes = flow_send_bytes(flow->common.flow);

	if (config->role == FLOW_RECEIVER)
		return true;
	if (config->role == FLOW_SENDER)
		count = config->udp ? URING_UDP_SEND_SLOTS : 1;
	else
		slot_bytes = config->udp ? ENGINE_DATAGRAM_SLOT_BYTES : engine->slot_bytes;
	flow->block_bytes = slot_bytes;
	flow->send_stride_bytes = (slot_bytes / FLOW_ALIGNMENT + 1) * FLOW_ALIGNMENT;
	flow->send_memory = flow_slot_allocate(count * flow->send_stride_bytes,
					       engine->buffer_options.destination_align,
					       &flow->first_send_slot);
	if (!flow->send_memory)
		return false;
	if (config->role == FLOW_SENDER)
		flow_pattern_fill(flow->first_send_slot, count * flow->send_stride_bytes);
	return true;
}

static bool allocate_datagram(struct uring_flow *flow)
{
	const struct flow_config *config = flow_configuration(flow->common.flow);

	if (config->role != FLOW_ECHO || !config->udp)
		return true;
	flow->datagram = calloc(1, sizeof(*flow->datagram));
	return flow->datagram != NULL;
}

static void flow_free(struct uring_flow *flow)
{
	free(flow->receive_memory);
	free(flow->send_memory);
	free(flow->datagram);
	free(flow);
}

static struct uring_worker *least_loaded(struct uring_engine *engine)
{
	struct uring_worker *least = &engine->workers[0];

	for (unsigned int i = 1; i < engine->worker_count; i++)
		if (engine->workers[i].flow_count < least->flow_count)
			least = &engine->workers[i];
	return least;
}

static struct engine_flow *uring_add(struct engine *common, struct flow *flow, int *error)
{
	struct uring_engine *engine = (struct uring_engine *)common;
	struct uring_flow *added = calloc(1, sizeof(*added));

	*error = -ENOMEM;
	if (!added)
		return NULL;
	added->common.flow = flow;
	if (flow_configuration(flow)->udp)
		added->gather_bytes_max = uring_gather_bytes_max(flow_fd(flow));
	if (!allocate_receive_slot(engine, added) || !allocate_send_slots(engine, added) ||
	    !allocate_datagram(added)) {
		flow_free(added);
		return NULL;
	}
	added->worker = least_loaded(engine);
	added->worker->flow_count++;
	command(added, false);
	return &added->common;
}

static void uring_stop(struct engine *engine, struct engine_flow *engine_flow)
{
	(void)engine;
	command((struct uring_flow *)engine_flow, true);
}

static void uring_release(struct engine *engine, struct engine_flow *engine_flow)
{
	struct uring_flow *flow = (struct uring_flow *)engine_flow;

	(void)engine;
	flow->worker->flow_count--;
	flow_free(flow);
}

/* -- workers ------------------------------------------------------------------------------- */

static void worker_free_memory(struct uring_worker *worker)
{
	flow_buffer_destroy(worker->buffer);
	free(worker->drain_memory);
	if (worker->wake_fd >= 0)
		close(worker->wake_fd);
	pthread_cond_destroy(&worker->opened);
	pthread_mutex_destroy(&worker->lock);
}

static void worker_close(struct uring_worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	worker->leave = true;
	pthread_mutex_unlock(&worker->lock);
	wake_worker(worker);
	pthread_join(worker->thread, NULL);
	worker_free_memory(worker);
}

/* Its ring is made by its own thread, which alone may use it. Signals are not for it. */
static int worker_start(struct uring_worker *worker)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = -pthread_create(&worker->thread, NULL, uring_worker_run, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (error)
		return error;
	pthread_mutex_lock(&worker->lock);
	while (!worker->is_open)
		pthread_cond_wait(&worker->opened, &worker->lock);
	error = worker->open_error;
	pthread_mutex_unlock(&worker->lock);
	if (error)
		pthread_join(worker->thread, NULL);
	return error;
}

static int worker_open(struct uring_engine *engine, struct uring_worker *worker)
{
	struct flow_buffer_options options = engine->buffer_options;
	size_t drain_bytes = engine->slot_bytes > ENGINE_DATAGRAM_SLOT_BYTES
				     ? engine->slot_bytes
				     : ENGINE_DATAGRAM_SLOT_BYTES;
	int error = -ENOMEM;

	worker->engine = &engine->common;
	worker->tier = engine->tier;
	worker->slot_bytes = engine->slot_bytes;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->opened, NULL);
	options.receives = true;
	options.sends = true;
	worker->buffer = flow_buffer_create(&options);
	worker->drain_memory =
		flow_slot_allocate(drain_bytes, options.source_align, &worker->drain_slot);
	worker->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (worker->wake_fd < 0)
		error = -errno;
	else if (worker->buffer && worker->drain_memory)
		error = worker_start(worker);
	if (error)
		worker_free_memory(worker);
	return error;
}

/* -- the engine ---------------------------------------------------------------------------- */

static unsigned int count_cpus(void)
{
	cpu_set_t allowed;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return 1;
	return (unsigned int)CPU_COUNT(&allowed);
}

static void uring_close(struct engine *common)
{
	struct uring_engine *engine = (struct uring_engine *)common;

	for (unsigned int i = 0; i < engine->worker_count; i++)
		worker_close(&engine->workers[i]);
	free(engine);
}

static void describe(struct uring_engine *engine)
{
	snprintf(engine->common.description, sizeof(engine->common.description),
		 "uring tier %c, workers: %u, receive slots: %d of %zu KiB (TCP), %d of 64 KiB "
		 "(UDP)",
		 uring_tier_letter(engine->tier), engine->worker_count, URING_TCP_SLOTS,
		 engine->slot_bytes >> 10, URING_UDP_SLOTS);
}

struct engine *uring_open_up_to(enum uring_tier best, const struct engine_options *options,
				char *why, size_t why_size)
{
	enum uring_tier tier = uring_probe(best, why, why_size);
	struct uring_engine *engine;
	unsigned int workers = options->workers ? options->workers : count_cpus();

	if (tier == URING_TIER_NONE)
		return NULL;
	engine = calloc(1, sizeof(*engine));
	if (!engine) {
		snprintf(why, why_size, "uring: out of memory");
		errno = ENOMEM;
		return NULL;
	}
	engine->tier = tier;
	engine->slot_bytes = options->slot_bytes ? options->slot_bytes : URING_TCP_SLOT_BYTES;
	engine->buffer_options = engine_buffer_options(options);
	while (engine->worker_count < workers && engine->worker_count < ENGINE_WORKERS_MAX) {
		int error = worker_open(engine, &engine->workers[engine->worker_count]);

		if (error) {
			snprintf(why, why_size,
				 "uring: worker %u: %s; fewer workers or a smaller ring need less",
				 engine->worker_count + 1, strerror(-error));
			uring_close(&engine->common);
			errno = -error;
			return NULL;
		}
		engine->worker_count++;
	}
	describe(engine);
	return &engine->common;
}

static struct engine *uring_open(const struct engine_options *options, char *why, size_t why_size)
{
	return uring_open_up_to(URING_TIER_A, options, why, why_size);
}

const struct engine_type engine_uring = {
	.name = "uring",
	.open = uring_open,
	.add = uring_add,
	.stop = uring_stop,
	.release = uring_release,
	.close = uring_close,
};
