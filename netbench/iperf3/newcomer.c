/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Newcomer: a connection that has not said yet what it is. See newcomer.h. */
#include "netbench/iperf3/newcomer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netbench/clock.h"

#define COOKIE_NS  (10 * NS_PER_S)
#define REFUSED_NS (2 * NS_PER_S)

/** 36 printable characters and a NUL: anything else does not come from an iperf3. */
static bool cookie_is_sound(const uint8_t *cookie, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		bool last = i == WIRE_COOKIE_BYTES - 1;

		if (last ? cookie[i] != 0 : cookie[i] <= ' ' || cookie[i] > '~')
			return false;
	}
	return true;
}

static void read_cookie(struct newcomer *newcomer)
{
	ssize_t got = recv(newcomer->watch.fd, newcomer->cookie + newcomer->cookie_bytes,
			   WIRE_COOKIE_BYTES - newcomer->cookie_bytes, MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got < 0) {
		newcomer->done(newcomer, strerror(errno));
		return;
	}
	if (got == 0) {
		newcomer->done(newcomer, "closed by the client before it sent a cookie");
		return;
	}
	newcomer->cookie_bytes += (size_t)got;
	if (!cookie_is_sound(newcomer->cookie, newcomer->cookie_bytes))
		newcomer->done(newcomer, "what it sent is not the cookie of an iperf3 client");
	else if (newcomer->cookie_bytes == WIRE_COOKIE_BYTES)
		newcomer->done(newcomer, NULL);
}

/** Reads away what comes, so that closing does not take the message from the client again. */
static void read_away(struct newcomer *newcomer)
{
	uint8_t data[1024];
	ssize_t got = recv(newcomer->watch.fd, data, sizeof(data), MSG_DONTWAIT);

	if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
		newcomer->done(newcomer, "refused");
}

static void newcomer_ready(struct watch *watch, uint32_t events)
{
	struct newcomer *newcomer = (struct newcomer *)(void *)watch;

	(void)events;
	if (newcomer->refused)
		read_away(newcomer);
	else
		read_cookie(newcomer);
}

struct newcomer *newcomer_create(struct loop *loop, int fd, const union address *peer,
				 void (*done)(struct newcomer *, const char *), void *context)
{
	struct newcomer *newcomer = calloc(1, sizeof(*newcomer));

	if (!newcomer) {
		close(fd);
		return NULL;
	}
	newcomer->watch.fd = fd;
	newcomer->watch.ready = newcomer_ready;
	newcomer->loop = loop;
	newcomer->peer = *peer;
	newcomer->done = done;
	newcomer->context = context;
	newcomer->accepted_ns = clock_now_ns();
	newcomer->deadline_ns = newcomer->accepted_ns + COOKIE_NS;
	if (loop_watch(loop, &newcomer->watch, EPOLLIN) < 0) {
		newcomer_destroy(newcomer);
		return NULL;
	}
	return newcomer;
}

int newcomer_release_fd(struct newcomer *newcomer)
{
	int fd = newcomer->watch.fd;

	loop_unwatch(newcomer->loop, &newcomer->watch);
	newcomer->watch.fd = -1;
	return fd;
}

void newcomer_destroy(struct newcomer *newcomer)
{
	int fd = newcomer_release_fd(newcomer);

	if (fd >= 0)
		close(fd);
	free(newcomer);
}

void newcomer_refuse(struct newcomer *newcomer, enum wire_state state, unsigned int error,
		     int cause)
{
	uint8_t message[WIRE_ERROR_BYTES];
	size_t bytes = state == WIRE_SERVER_ERROR ? sizeof(message) : 1;

	wire_put_error(message, error, (uint32_t)cause);
	message[0] = (uint8_t)state;
	/* So short a message always fits into a new socket; if not, closing says enough. */
	if (send(newcomer->watch.fd, message, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
		shutdown(newcomer->watch.fd, SHUT_WR);
	newcomer->refused = true;
	newcomer->deadline_ns = clock_now_ns() + REFUSED_NS;
}
