/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The table of engines, the choice among them, and what is the same for all: which flows there are,
 * and the queue of those that have ended.
 *
 * The list of flows belongs to the control thread. The queue is filled by the engine's threads;
 * its eventfd is readable as long as the queue is not empty.
 */
#include "netbench/engine/engine_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const struct engine_type *const engine_types[] = {
	&engine_uring,
	&engine_threads,
};

#define ENGINE_COUNT (sizeof(engine_types) / sizeof(engine_types[0]))

const char *engine_name(size_t index)
{
	return index < ENGINE_COUNT ? engine_types[index]->name : NULL;
}

const char *engine_describe(const struct engine *engine)
{
	return engine->description;
}

const char *engine_name_of(const struct engine *engine)
{
	return engine->type->name;
}

int engine_event_fd(const struct engine *engine)
{
	return engine->ended_fd;
}

struct flow_buffer_options engine_buffer_options(const struct engine_options *options)
{
	return (struct flow_buffer_options){
		.copy = options->copy,
		.ring_bytes = options->ring_bytes,
		.source_align = options->source_align,
		.destination_align = options->destination_align,
	};
}

/* -- opening ------------------------------------------------------------------------------- */

struct engine *engine_open_type(const struct engine_type *type,
				const struct engine_options *options, char *why, size_t why_size)
{
	struct engine *engine;
	int ended_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	if (ended_fd < 0) {
		snprintf(why, why_size, "eventfd: %s; raise the limit of open files (ulimit -n)",
			 strerror(errno));
		return NULL;
	}
	engine = type->open(options, why, why_size);
	if (!engine) {
		int error = errno;

		close(ended_fd);
		errno = error;
		return NULL;
	}
	engine->type = type;
	engine->ended_fd = ended_fd;
	pthread_mutex_init(&engine->ended_lock, NULL);
	return engine;
}

static const struct engine_type *find_type(const char *name)
{
	for (size_t i = 0; i < ENGINE_COUNT; i++)
		if (strcmp(name, engine_types[i]->name) == 0)
			return engine_types[i];
	return NULL;
}

/* The first that works; what was wrong with those before it stays in why. */
static struct engine *open_first(const struct engine_options *options, char *why, size_t why_size)
{
	size_t used = 0;

	for (size_t i = 0; i < ENGINE_COUNT; i++) {
		char reason[256] = "";
		struct engine *engine =
			engine_open_type(engine_types[i], options, reason, sizeof(reason));
		int error = errno;

		if (engine && i > 0)
			snprintf(why + used, why_size - used, "; using %s", engine_types[i]->name);
		if (engine)
			return engine;
		used += (size_t)snprintf(why + used, why_size - used, "%s%s", i > 0 ? "; " : "",
					 reason);
		if (used >= why_size)
			used = why_size - 1;
		errno = error;
	}
	return NULL;
}

static bool options_valid(const struct engine_options *options)
{
	return options->source_align < FLOW_ALIGNMENT &&
	       options->destination_align < FLOW_ALIGNMENT &&
	       (options->ring_bytes == 0 || options->ring_bytes >= FLOW_RING_BYTES_MIN) &&
	       (options->slot_bytes == 0 || (options->slot_bytes >= ENGINE_SLOT_BYTES_MIN &&
					     options->slot_bytes <= ENGINE_SLOT_BYTES_MAX)) &&
	       options->workers <= ENGINE_WORKERS_MAX &&
	       (!options->copy || options->copy->memcpy || options->copy->memmove);
}

struct engine *engine_open(const char *name, const struct engine_options *options, char *why,
			   size_t why_size)
{
	const struct engine_type *type;

	why[0] = '\0';
	if (!options_valid(options)) {
		snprintf(why, why_size,
			 "alignments are 0 to %d, a ring has at least %d bytes, a slot %d to %zu, "
			 "workers are at most %d, and the variant needs a memcpy or memmove",
			 FLOW_ALIGNMENT - 1, FLOW_RING_BYTES_MIN, ENGINE_SLOT_BYTES_MIN,
			 ENGINE_SLOT_BYTES_MAX, ENGINE_WORKERS_MAX);
		errno = EINVAL;
		return NULL;
	}
	if (!name || strcmp(name, "auto") == 0)
		return open_first(options, why, why_size);
	type = find_type(name);
	if (!type) {
		snprintf(why, why_size, "%s: no such engine", name);
		errno = EINVAL;
		return NULL;
	}
	return engine_open_type(type, options, why, why_size);
}

/* -- flows --------------------------------------------------------------------------------- */

/*
 * While an engine has the descriptor it blocks: a thread waits in its calls, and io_uring waits for
 * it in the kernel; a non-blocking one could come back with EAGAIN instead.
 */
static int set_blocking(int fd, bool blocking)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}

static bool flow_acceptable(const struct flow_config *config)
{
	if (config->role != FLOW_SENDER)
		return true;
	if (config->udp)
		return config->block_bytes >= FLOW_DATAGRAM_BYTES_MIN &&
		       config->block_bytes <= FLOW_DATAGRAM_BYTES_MAX;
	return config->block_bytes > 0 && config->block_bytes <= FLOW_BLOCK_BYTES_MAX;
}

int engine_add(struct engine *engine, struct flow *flow)
{
	struct engine_flow *added;
	int error;

	if (!flow_acceptable(flow_configuration(flow)))
		return -EINVAL;
	error = set_blocking(flow_fd(flow), true);
	if (error)
		return error;
	added = engine->type->add(engine, flow, &error);
	if (!added) {
		set_blocking(flow_fd(flow), false);
		return error;
	}
	flow_set_engine_data(flow, added);
	added->previous = NULL;
	added->next = engine->flows;
	if (engine->flows)
		engine->flows->previous = added;
	engine->flows = added;
	return 0;
}

void engine_stop(struct engine *engine, struct flow *flow)
{
	engine->type->stop(engine, flow_engine_data(flow));
}

void engine_flow_ended(struct engine *engine, struct engine_flow *engine_flow)
{
	uint64_t one = 1;

	engine_flow->next_ended = NULL;
	pthread_mutex_lock(&engine->ended_lock);
	if (engine->last_ended)
		engine->last_ended->next_ended = engine_flow;
	else
		engine->first_ended = engine_flow;
	engine->last_ended = engine_flow;
	/* Cannot fail: the counter is taken back to zero long before it is full. */
	if (write(engine->ended_fd, &one, sizeof(one)) < 0)
		perror("netbench: eventfd");
	pthread_mutex_unlock(&engine->ended_lock);
}

static struct engine_flow *pop_ended(struct engine *engine)
{
	struct engine_flow *ended;
	uint64_t count;

	pthread_mutex_lock(&engine->ended_lock);
	ended = engine->first_ended;
	if (ended)
		engine->first_ended = ended->next_ended;
	if (!engine->first_ended) {
		engine->last_ended = NULL;
		/* Empties the counter; EAGAIN: it was empty. */
		if (read(engine->ended_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
			perror("netbench: eventfd");
	}
	pthread_mutex_unlock(&engine->ended_lock);
	return ended;
}

struct flow *engine_next_ended(struct engine *engine)
{
	struct engine_flow *ended = pop_ended(engine);
	struct flow *flow;

	if (!ended)
		return NULL;
	if (ended->previous)
		ended->previous->next = ended->next;
	else
		engine->flows = ended->next;
	if (ended->next)
		ended->next->previous = ended->previous;
	flow = ended->flow;
	engine->type->release(engine, ended);
	flow_set_engine_data(flow, NULL);
	set_blocking(flow_fd(flow), false);
	return flow;
}

void engine_close(struct engine *engine)
{
	int ended_fd;

	if (!engine)
		return;
	for (struct engine_flow *each = engine->flows; each; each = each->next)
		engine->type->stop(engine, each);
	while (engine->flows) {
		struct pollfd wait = { .fd = engine->ended_fd, .events = POLLIN };

		poll(&wait, 1, -1);
		for (struct flow *flow = engine_next_ended(engine); flow;
		     flow = engine_next_ended(engine))
			flow_destroy(flow);
	}
	ended_fd = engine->ended_fd;
	pthread_mutex_destroy(&engine->ended_lock);
	engine->type->close(engine);
	close(ended_fd);
}
