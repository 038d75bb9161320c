/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the engines share with engine.c: the table's row, and how a flow is handed back.
 *
 * Functions of the row are called by the control thread alone. An engine's own structs begin with
 * struct engine and struct engine_flow.
 */
#ifndef NETBENCH_ENGINE_PRIVATE_H
#define NETBENCH_ENGINE_PRIVATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netbench/engine/engine.h"
#include "netbench/flow.h"
#include "netbench/flow_buffer.h"

/* How long a receiving flow that was stopped goes on taking what keeps arriving. */
#define ENGINE_STOP_LIMIT_NS UINT64_C(1000000000)

/* A receive slot for datagrams holds the largest one and a byte more, so that none is cut unseen.
 */
#define ENGINE_DATAGRAM_SLOT_BYTES ((size_t)FLOW_DATAGRAM_BYTES_MAX + 1)

/* The local address a datagram came to, of either family, as the kernel passes it along. */
#define ENGINE_CONTROL_BYTES 64

struct engine_flow {
	struct flow *flow;
	struct engine_flow *previous, *next; /* all that the engine holds; control thread only */
	struct engine_flow *next_ended;
};

struct engine_type {
	const char *name;
	/** NULL: does not work here, *why says why; the common part of struct engine is engine.c's.
	 */
	struct engine *(*open)(const struct engine_options *options, char *why, size_t why_size);
	/** NULL: *error is a negative errno and nothing was taken. */
	struct engine_flow *(*add)(struct engine *engine, struct flow *flow, int *error);
	/** May come more than once, and for a flow that has ended and was not yet returned. */
	void (*stop)(struct engine *engine, struct engine_flow *engine_flow);
	/** The flow was ended and is now returned: frees what add() made, but for the flow. */
	void (*release)(struct engine *engine, struct engine_flow *engine_flow);
	/** No flow is left: ends the threads and frees the engine. */
	void (*close)(struct engine *engine);
};

struct engine {
	const struct engine_type *type;
	char description[128]; /* written by type->open() */
	struct engine_flow *flows;
	int ended_fd;
	pthread_mutex_t ended_lock; /* of the two below, and of ended_fd against them */
	struct engine_flow *first_ended, *last_ended;
};

extern const struct engine_type engine_threads;
extern const struct engine_type engine_uring;

/** engine_open() for a row of the table, or one like it. */
struct engine *engine_open_type(const struct engine_type *type,
				const struct engine_options *options, char *why, size_t why_size);

/** From a thread of the engine, which has done with the flow and will not touch it any more. */
void engine_flow_ended(struct engine *engine, struct engine_flow *engine_flow);

/** The part of engine_options that a worker's buffer takes. */
struct flow_buffer_options engine_buffer_options(const struct engine_options *options);

#endif
