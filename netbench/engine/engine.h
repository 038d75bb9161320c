/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Engine: how bytes move between sockets and flows.
 *
 * The control plane (one thread) opens one engine, adds flows to it and asks for their end. The
 * engine moves bytes in threads of its own, calls flow.h for every block, and reports each flow
 * that has ended through a queue whose descriptor can be polled. A new engine is one file and one
 * row of the table in engine.c.
 */
#ifndef NETBENCH_ENGINE_H
#define NETBENCH_ENGINE_H

#include <stddef.h>

struct engine;
struct flow;
struct copy_variant;

#define ENGINE_WORKERS_MAX    64
#define ENGINE_SLOT_BYTES_MIN 512
#define ENGINE_SLOT_BYTES_MAX ((size_t)1 << 20)

struct engine_options {
	const struct copy_variant *copy; /* NULL: no copy step ("none") */
	size_t ring_bytes;		 /* application buffer of a worker */
	unsigned int source_align;	 /* 0..63: address of each copy's source modulo 64 */
	unsigned int destination_align;	 /* 0..63: likewise of its destination */
	size_t slot_bytes;		 /* TCP receive slot; 0: chosen by the engine */
	unsigned int workers;		 /* 0: one a CPU of this process's affinity mask */
};

/** The names of all engines, in order; NULL beyond the last. For help and error messages. */
const char *engine_name(size_t index);

/**
 * Opens an engine by name; NULL or "auto": the first that works here.
 * On success *why is a note for the user when another than the first was chosen ("io_uring: EPERM:
 * forbidden by kernel.io_uring_disabled; using threads"), else "". On failure returns NULL, errno
 * is set and *why says what is wrong and what to do.
 */
struct engine *engine_open(const char *name, const struct engine_options *options, char *why,
			   size_t why_size);

/** One line for results and logs: engine, tier, slots: "uring tier A, 16 slots of 16 KiB". */
const char *engine_describe(const struct engine *engine);

/** Its name in the table: "uring", "threads". */
const char *engine_name_of(const struct engine *engine);

/**
 * Starts to move the flow's bytes. The flow and its descriptor belong to the engine from here until
 * engine_next_ended() returns it. Returns 0, or a negative errno: then nothing was taken.
 */
int engine_add(struct engine *engine, struct flow *flow);

/**
 * Asks for the end of a flow; does not wait. A receiving flow takes what already lies in its socket
 * (bounded in time), a sending one stops at once. The flow comes out of engine_next_ended().
 */
void engine_stop(struct engine *engine, struct flow *flow);

/** Readable (level-triggered) while engine_next_ended() has something to return. */
int engine_event_fd(const struct engine *engine);

/**
 * The next flow that has ended, by engine_stop(), end of file or an error (flow_error()); NULL:
 * none now. It is the caller's again, descriptor included, and no thread touches it any more.
 */
struct flow *engine_next_ended(struct engine *engine);

/** Ends all flows and threads. Flows not yet returned are destroyed. */
void engine_close(struct engine *engine);

#endif
