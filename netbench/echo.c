/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The control thread's part of the echo server; see echo.h.
 *
 * Connections beyond the limit are accepted and closed, so that their clients know at once. When
 * descriptors or memory are short, accepting pauses for a moment: the listening socket would stay
 * readable, and the thread would do nothing else.
 */
#define _GNU_SOURCE /* accept4, struct in6_pktinfo */
#include "netbench/echo.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "netbench/engine/engine.h"
#include "netbench/flow.h"
#include "netbench/iperf3/address.h"
#include "netbench/iperf3/listener.h"
#include "netbench/loop.h"

#define ACCEPTS_A_TURN	  64
#define ACCEPT_PAUSE_NS	  100000000
#define ANY_PORT_ATTEMPTS 16
#define PEER_GONE_AFTER_S 60 /* a peer that is silent is asked; one that does not answer is gone \
			      */
#define PEER_ASK_INTERVAL_S 10
#define PEER_ASKS	    3

struct echo {
	struct echo_config config;
	struct listener tcp;
	struct watch accepting;
	struct watch pause; /* a timer, after which accepting goes on */
	struct flow *udp;   /* NULL: has ended */
	uint16_t port;
	unsigned int connections;
	bool limit_told; /* since there was room the last time */
	bool short_told;
};

static void set_option(int fd, int level, int option, int value)
{
	/* Each of these only makes things better; without it the echo still works. */
	(void)setsockopt(fd, level, option, &value, sizeof(value));
}

static int add_flow(struct echo *echo, int fd, bool udp, struct flow **added)
{
	struct flow_config config = { .fd = fd, .role = FLOW_ECHO, .udp = udp, .owner = echo };
	struct flow *flow = flow_create(&config);
	int error;

	if (!flow) {
		close(fd);
		return -ENOMEM;
	}
	error = engine_add(echo->config.engine, flow);
	if (error)
		flow_destroy(flow);
	else if (added)
		*added = flow;
	return error;
}

/* -- connections --------------------------------------------------------------------------- */

static void take_connection(struct echo *echo, int fd)
{
	int error;

	if (echo->connections >= echo->config.connections_max) {
		if (!echo->limit_told)
			fprintf(stderr,
				"netbench: echo: %u connections are open; closing further ones\n",
				echo->connections);
		echo->limit_told = true;
		close(fd);
		return;
	}
	set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, PEER_GONE_AFTER_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, PEER_ASK_INTERVAL_S);
	set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, PEER_ASKS);
	error = add_flow(echo, fd, false, NULL);
	if (error)
		fprintf(stderr, "netbench: echo: a connection was closed: %s\n", strerror(-error));
	else
		echo->connections++;
}

static bool is_shortage(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void pause_accepting(struct echo *echo, int error)
{
	struct itimerspec pause = { .it_value.tv_nsec = ACCEPT_PAUSE_NS };

	if (!echo->short_told)
		fprintf(stderr,
			"netbench: echo: accepting connections waits: %s; raise the limit of open "
			"files (ulimit -n) or close some\n",
			strerror(error));
	echo->short_told = true;
	loop_unwatch(echo->config.loop, &echo->accepting);
	timerfd_settime(echo->pause.fd, 0, &pause, NULL);
}

static void accept_connections(struct watch *watch, uint32_t events)
{
	struct echo *echo =
		(struct echo *)(void *)((char *)watch - offsetof(struct echo, accepting));

	(void)events;
	for (int i = 0; i < ACCEPTS_A_TURN; i++) {
		int fd = accept4(watch->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			echo->short_told = false;
			take_connection(echo, fd);
		} else if (is_shortage(errno)) {
			pause_accepting(echo, errno);
			return;
		} else if (errno == EAGAIN) {
			return;
		}
		/* Anything else is about that one connection, which is gone already. */
	}
}

static void go_on_accepting(struct watch *watch, uint32_t events)
{
	struct echo *echo = (struct echo *)(void *)((char *)watch - offsetof(struct echo, pause));
	uint64_t expirations;
	int error;

	(void)events;
	if (read(watch->fd, &expirations, sizeof(expirations)) != sizeof(expirations))
		return;
	error = loop_watch(echo->config.loop, &echo->accepting, EPOLLIN);
	if (error)
		fprintf(stderr, "netbench: echo: epoll: %s; it takes no more connections\n",
			strerror(-error));
}

bool echo_flow_ended(struct echo *echo, struct flow *flow)
{
	if (!echo || flow_owner(flow) != echo)
		return false;
	if (flow == echo->udp) {
		fprintf(stderr, "netbench: echo: UDP has ended: %s\n", strerror(flow_error(flow)));
		echo->udp = NULL;
	} else {
		echo->connections--;
		echo->limit_told = false;
	}
	flow_destroy(flow);
	return true;
}

/* -- life ---------------------------------------------------------------------------------- */

/* With the address that each datagram came to, which the answer then comes from. */
static int open_udp(const union address *address)
{
	int fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (address->any.sa_family == AF_INET6) {
		set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY,
			   !IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr));
		set_option(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
	} else {
		set_option(fd, IPPROTO_IP, IP_PKTINFO, 1);
	}
	if (bind(fd, &address->any, address_bytes(address)) < 0) {
		int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

/* Both sockets on one port. 0 or -errno, and which of the two it was. */
static int open_port(struct echo *echo, const union address *asked, int *udp_fd, const char **which)
{
	union address address = *asked;
	socklen_t bytes = sizeof(address);
	int error;

	*which = "TCP";
	error = listener_open(&echo->tcp, &address);
	if (error)
		return error;
	if (getsockname(echo->tcp.fd, &address.any, &bytes) < 0)
		return -errno;
	echo->port = address_port(&address);
	*which = "UDP";
	*udp_fd = open_udp(&address);
	return *udp_fd < 0 ? *udp_fd : 0;
}

static int open_sockets(struct echo *echo, int *udp_fd, char *why, size_t why_size)
{
	uint16_t port = echo->config.port;
	union address address;
	const char *which = "TCP";
	int error = address_to_bind(echo->config.bind_address, port, &address);

	if (error) {
		snprintf(why, why_size, "echo: no such address: %s", echo->config.bind_address);
		return -EADDRNOTAVAIL;
	}
	for (int attempt = 0; attempt < ANY_PORT_ATTEMPTS; attempt++) {
		error = open_port(echo, &address, udp_fd, &which);
		if (error != -EADDRINUSE || port != 0)
			break;
		listener_close(&echo->tcp);
	}
	if (error == -EADDRINUSE)
		snprintf(why, why_size,
			 "echo: %s port %u is in use; ss -lnp 'sport = :%u' shows by whom", which,
			 port, port);
	else if (error)
		snprintf(why, why_size, "echo: %s port %u: %s", which, port, strerror(-error));
	return error;
}

static int start(struct echo *echo, char *why, size_t why_size)
{
	int udp_fd = -1;
	int error = open_sockets(echo, &udp_fd, why, why_size);

	if (error)
		return error;
	echo->accepting = (struct watch){ .fd = echo->tcp.fd, .ready = accept_connections };
	error = loop_watch(echo->config.loop, &echo->accepting, EPOLLIN);
	if (!error)
		error = loop_watch(echo->config.loop, &echo->pause, EPOLLIN);
	if (error)
		close(udp_fd);
	else
		error = add_flow(echo, udp_fd, true, &echo->udp);
	if (error)
		snprintf(why, why_size, "echo: %s", strerror(-error));
	return error;
}

struct echo *echo_open(const struct echo_config *config, char *why, size_t why_size)
{
	struct echo *echo = calloc(1, sizeof(*echo));
	int error;

	if (!echo) {
		snprintf(why, why_size, "echo: no memory");
		errno = ENOMEM;
		return NULL;
	}
	echo->config = *config;
	if (!echo->config.connections_max)
		echo->config.connections_max = ECHO_CONNECTIONS_MAX;
	echo->tcp.fd = -1;
	echo->pause.ready = go_on_accepting;
	echo->pause.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (echo->pause.fd < 0) {
		error = -errno;
		snprintf(why, why_size, "echo: timerfd: %s", strerror(errno));
	} else {
		error = start(echo, why, why_size);
	}
	if (error) {
		echo_close(echo);
		errno = -error;
		return NULL;
	}
	return echo;
}

uint16_t echo_port(const struct echo *echo)
{
	return echo->port;
}

void echo_close(struct echo *echo)
{
	if (!echo)
		return;
	loop_unwatch(echo->config.loop, &echo->accepting);
	loop_unwatch(echo->config.loop, &echo->pause);
	listener_close(&echo->tcp);
	if (echo->pause.fd >= 0)
		close(echo->pause.fd);
	free(echo);
}
