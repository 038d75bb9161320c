/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loop: one thread waits for many descriptors (epoll, level-triggered) and calls their handlers.
 *
 * A watch is embedded in what it belongs to; the loop never owns or frees anything. A handler may
 * remove and free any watch, its own included: events of the same batch for it are dropped.
 */
#ifndef NETBENCH_LOOP_H
#define NETBENCH_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

struct loop;

struct watch {
	int fd;
	/* events: EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP */
	void (*ready)(struct watch *watch, uint32_t events);
	uint32_t events; /* what is waited for; 0: not in the loop. The loop's to write. */
};

/** NULL: no memory or descriptor, errno is set. */
struct loop *loop_open(void);
void loop_close(struct loop *loop);

/** Waits for events (not 0) on watch->fd from now on, in place of what was waited for. 0 or -errno.
 */
int loop_watch(struct loop *loop, struct watch *watch, uint32_t events);

/** Waits for watch no longer. Before its descriptor is closed; harmless when it was not in the
 * loop. */
void loop_unwatch(struct loop *loop, struct watch *watch);

/** Are there events that loop_run() would dispatch at once? */
bool loop_has_events(const struct loop *loop);

/** Waits up to timeout_ms (-1: for ever) and calls the handlers of one batch. 0 or -errno. */
int loop_run(struct loop *loop, int timeout_ms);

#endif
