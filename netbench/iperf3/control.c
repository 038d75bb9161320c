/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A control connection. Messages are short and the kernel's buffer takes them at once; the output
 * kept here is for a peer that does not read.
 */
#include "netbench/iperf3/control.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KEEPALIVE_IDLE_S     10
#define KEEPALIVE_INTERVAL_S 5
#define KEEPALIVE_PROBES     4
#define UNACKNOWLEDGED_MS    30000

/** A client that vanishes without a word is noticed after half a minute. Not fatal if refused. */
static void notice_silence(int fd)
{
	const struct {
		int level, option, value;
	} options[] = {
		{ IPPROTO_TCP, TCP_NODELAY, 1 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
		{ IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S },
		{ IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S },
		{ IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_PROBES },
		{ IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		setsockopt(fd, options[i].level, options[i].option, &options[i].value,
			   sizeof(options[i].value));
}

int control_open(struct control *control, struct loop *loop, int fd,
		 void (*ready)(struct watch *watch, uint32_t events))
{
	int error;

	*control = (struct control){ .loop = loop, .watch = { .fd = fd, .ready = ready } };
	error = loop_watch(loop, &control->watch, EPOLLIN);
	if (error)
		control->watch.fd = -1;
	else
		notice_silence(fd);
	return error;
}

bool control_is_open(const struct control *control)
{
	return control->watch.fd >= 0;
}

void control_close(struct control *control)
{
	if (!control_is_open(control))
		return;
	loop_unwatch(control->loop, &control->watch);
	close(control->watch.fd);
	control->watch.fd = -1;
	free(control->output);
	control->output = NULL;
	control->output_bytes = 0;
}

/** What the kernel took of data; -1: the connection is broken. */
static ssize_t send_some(struct control *control, const uint8_t *data, size_t bytes)
{
	size_t sent = 0;

	while (sent < bytes) {
		ssize_t part = send(control->watch.fd, data + sent, bytes - sent,
				    MSG_NOSIGNAL | MSG_DONTWAIT);

		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? (ssize_t)sent : -1;
		sent += (size_t)part;
	}
	return (ssize_t)sent;
}

bool control_flush(struct control *control)
{
	ssize_t sent = send_some(control, control->output, control->output_bytes);

	if (sent < 0)
		return false;
	control->output_bytes -= (size_t)sent;
	if (control->output_bytes) {
		memmove(control->output, control->output + sent, control->output_bytes);
		return loop_watch(control->loop, &control->watch, EPOLLIN | EPOLLOUT) == 0;
	}
	if (control->finish)
		shutdown(control->watch.fd, SHUT_WR);
	return loop_watch(control->loop, &control->watch, EPOLLIN) == 0;
}

bool control_send(struct control *control, const void *data, size_t bytes)
{
	uint8_t *output = realloc(control->output, control->output_bytes + bytes);

	if (!output)
		return false;
	memcpy(output + control->output_bytes, data, bytes);
	control->output = output;
	control->output_bytes += bytes;
	return control_flush(control);
}

void control_finish(struct control *control)
{
	control->finish = true;
	if (!control->output_bytes)
		shutdown(control->watch.fd, SHUT_WR);
}

ssize_t control_read(struct control *control, void *data, size_t bytes)
{
	ssize_t got = recv(control->watch.fd, data, bytes, MSG_DONTWAIT);

	if (got >= 0)
		return got;
	return errno == EAGAIN || errno == EINTR ? CONTROL_AGAIN : CONTROL_FAILED;
}
