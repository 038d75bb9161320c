/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The TCP socket that control and data connections come in on. See listener.h. */
#include "netbench/iperf3/listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netbench/iperf3/address.h"
#include "netbench/iperf3/error.h"

static int set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value));
}

static int get_int(int fd, int option)
{
	int value = 0;
	socklen_t bytes = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &bytes) < 0 ? -1 : value;
}

static int open_socket(const union address *address)
{
	int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool any;

	if (fd < 0)
		return -errno;
	any = address->any.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr);
	/* Connections of an earlier run in TIME_WAIT must not forbid the port. */
	if (set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1) < 0 ||
	    (any && set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0) < 0) ||
	    bind(fd, &address->any, address_bytes(address)) < 0 || listen(fd, SOMAXCONN) < 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

int listener_open(struct listener *listener, const union address *address)
{
	int fd = open_socket(address);

	*listener = (struct listener){ .fd = fd };
	if (fd < 0)
		return fd;
	listener->receive_bytes = get_int(fd, SO_RCVBUF);
	listener->send_bytes = get_int(fd, SO_SNDBUF);
	return 0;
}

void listener_close(struct listener *listener)
{
	if (listener->fd >= 0)
		close(listener->fd);
	listener->fd = -1;
}

static bool set_buffers(int fd, int receive_bytes, int send_bytes)
{
	return set_int(fd, SOL_SOCKET, SO_RCVBUF, receive_bytes) == 0 &&
	       set_int(fd, SOL_SOCKET, SO_SNDBUF, send_bytes) == 0;
}

/** Can buffers that were set be given back to the kernel's own sizing? */
static bool can_unlock_buffers(int fd)
{
#ifdef SO_BUF_LOCK
	return set_int(fd, SOL_SOCKET, SO_BUF_LOCK, 0) == 0;
#else
	(void)fd;
	return false;
#endif
}

unsigned int listener_tune(struct listener *listener, unsigned int window_bytes, unsigned int mss)
{
	unsigned int error = IPERF3_OK;
	int cause;

	listener->tuned = true;
	if (window_bytes && can_unlock_buffers(listener->fd)) {
		int window = (int)window_bytes;

		if (!set_buffers(listener->fd, window, window)) {
			error = IPERF3_SET_BUFFER;
		} else if (get_int(listener->fd, SO_RCVBUF) < window ||
			   get_int(listener->fd, SO_SNDBUF) < window) {
			error = IPERF3_BUFFER_NOT_GRANTED;
			errno = 0;
		}
	}
	if (!error && mss && set_int(listener->fd, IPPROTO_TCP, TCP_MAXSEG, (int)mss) < 0)
		error = IPERF3_SET_MSS;
	if (error) {
		cause = errno;
		listener_restore(listener);
		errno = cause;
	}
	return error;
}

void listener_restore(struct listener *listener)
{
	if (!listener->tuned)
		return;
	/* The kernel doubles what it is told, for its own overhead, and tells the doubled size. */
	if (can_unlock_buffers(listener->fd)) {
		set_buffers(listener->fd, listener->receive_bytes / 2, listener->send_bytes / 2);
		can_unlock_buffers(listener->fd);
	}
	set_int(listener->fd, IPPROTO_TCP, TCP_MAXSEG, 0);
	listener->tuned = false;
}
