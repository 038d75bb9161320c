/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loop over epoll. The batch that is being dispatched is kept in the loop, so that removing a watch
 * can also take it out of what is still to be dispatched.
 */
#include "netbench/loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define BATCH_EVENTS 64

struct loop {
	int epoll_fd;
	int batch_count; /* of events; 0 outside loop_run() */
	struct epoll_event batch[BATCH_EVENTS];
};

struct loop *loop_open(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0) {
		free(loop);
		return NULL;
	}
	return loop;
}

void loop_close(struct loop *loop)
{
	if (!loop)
		return;
	close(loop->epoll_fd);
	free(loop);
}

int loop_watch(struct loop *loop, struct watch *watch, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = watch };
	int operation = watch->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	if (watch->events == events)
		return 0;
	if (epoll_ctl(loop->epoll_fd, operation, watch->fd, &event) < 0)
		return -errno;
	watch->events = events;
	return 0;
}

void loop_unwatch(struct loop *loop, struct watch *watch)
{
	if (!watch->events)
		return;
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->events = 0;
	for (int i = 0; i < loop->batch_count; i++)
		if (loop->batch[i].data.ptr == watch)
			loop->batch[i].data.ptr = NULL;
}

bool loop_has_events(const struct loop *loop)
{
	struct pollfd self = { .fd = loop->epoll_fd, .events = POLLIN };

	return poll(&self, 1, 0) > 0;
}

int loop_run(struct loop *loop, int timeout_ms)
{
	int count = epoll_wait(loop->epoll_fd, loop->batch, BATCH_EVENTS, timeout_ms);

	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	loop->batch_count = count;
	for (int i = 0; i < count; i++) {
		struct watch *watch = loop->batch[i].data.ptr;

		if (watch)
			watch->ready(watch, loop->batch[i].events);
	}
	loop->batch_count = 0;
	return 0;
}
