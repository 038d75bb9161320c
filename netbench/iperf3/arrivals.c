/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Connections and hellos, on their way to the sessions they belong to. What is not for anybody is
 * closed (TCP) or not answered (UDP).
 */
#define _GNU_SOURCE /* accept4() */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "netbench/clock.h"
#include "netbench/iperf3/error.h"
#include "netbench/iperf3/hello.h"
#include "netbench/iperf3/server_private.h"

#define ACCEPT_BATCH	16 /* connections and hellos taken in one go */
#define ACCEPT_PAUSE_NS (100 * NS_PER_MS)
#define HELLO_QUEUE	64
#define STARVED_NS	(2 * NS_PER_S)

static struct session *find_by_cookie(struct server *server, const uint8_t *cookie)
{
	struct turn *turn;

	TAILQ_FOREACH(turn, &server->clients, link)
	if (memcmp(session_cookie(turn->session), cookie, WIRE_COOKIE_BYTES) == 0)
		return turn->session;
	return NULL;
}

/* -- connections --------------------------------------------------------------------------- */

static void reject(struct server *server, const struct newcomer *newcomer, const char *reason)
{
	char client[ADDRESS_TEXT_BYTES];

	server->config.rejected(server->config.context, address_format(&newcomer->peer, client),
				reason);
}

static void remove_newcomer(struct server *server, struct newcomer *newcomer)
{
	TAILQ_REMOVE(&server->newcomers, newcomer, link);
	newcomer_destroy(newcomer);
	if (server->reserve_fd < 0)
		server->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/**
 * Descriptors have run out, and this connection has the one that was kept. A stream says nothing to
 * its client, who listens on the control connection: so the session is told.
 */
static void refuse_starved(struct server *server, struct newcomer *newcomer)
{
	struct session *session = find_by_cookie(server, newcomer->cookie);
	int cause = newcomer->starved;

	if (newcomer->cookie_bytes == WIRE_COOKIE_BYTES && session &&
	    session_is_creating(session) && !session_parameters(session)->udp) {
		remove_newcomer(server, newcomer);
		session_stream_failed(session, cause);
		return;
	}
	reject(server, newcomer, strerror(cause));
	newcomer_refuse(newcomer, WIRE_SERVER_ERROR, IPERF3_ACCEPT, cause);
}

static void newcomer_done(struct newcomer *newcomer, const char *reason)
{
	struct server *server = newcomer->context;
	struct session *session;

	if (reason) {
		if (!newcomer->refused)
			reject(server, newcomer, reason);
		remove_newcomer(server, newcomer);
		return;
	}
	if (newcomer->starved) {
		refuse_starved(server, newcomer);
		return;
	}
	session = find_by_cookie(server, newcomer->cookie);
	if (!session && !server_add_client(server, newcomer)) {
		int cause = errno;

		reject(server, newcomer, strerror(cause));
		newcomer_refuse(newcomer, WIRE_SERVER_ERROR, IPERF3_NEW_TEST, cause);
		return;
	}
	if (session) {
		if (!session_is_creating(session) || session_parameters(session)->udp) {
			reject(server, newcomer, "its cookie is that of a client already here");
			newcomer_refuse(newcomer, WIRE_ACCESS_DENIED, 0, 0);
			return;
		}
		session_add_stream(session, newcomer_release_fd(newcomer));
	}
	remove_newcomer(server, newcomer);
}

static void pause_accepting(struct server *server)
{
	server->accept_paused_until_ns = clock_now_ns() + ACCEPT_PAUSE_NS;
	loop_unwatch(server->config.loop, &server->tcp);
}

static struct newcomer *take_connection(struct server *server)
{
	union address peer = { 0 };
	socklen_t bytes = sizeof(peer);
	int fd = accept4(server->listener.fd, &peer.any, &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct newcomer *newcomer;

	if (fd < 0)
		return NULL;
	address_normalize(&peer);
	newcomer = newcomer_create(server->config.loop, fd, &peer, newcomer_done, server);
	if (newcomer)
		TAILQ_INSERT_TAIL(&server->newcomers, newcomer, link);
	else
		errno = ENOMEM;
	return newcomer;
}

/**
 * Descriptors have run out: tells one client so, with the descriptor kept for that. While it has
 * not read that, and if there is none, clients wait in the listener's queue.
 */
static void refuse_one(struct server *server, int cause)
{
	struct newcomer *newcomer = NULL;

	pause_accepting(server);
	if (server->reserve_fd < 0) {
		server->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return;
	}
	close(server->reserve_fd);
	server->reserve_fd = -1;
	newcomer = take_connection(server);
	if (!newcomer)
		return;
	newcomer->starved = cause;
	newcomer->deadline_ns = clock_now_ns() + STARVED_NS;
}

static void tcp_ready(struct watch *watch, uint32_t events)
{
	struct server *server =
		(struct server *)(void *)((char *)watch - offsetof(struct server, tcp));

	(void)events;
	for (int i = 0; i < ACCEPT_BATCH; i++) {
		if (take_connection(server))
			continue;
		if (errno == EMFILE || errno == ENFILE)
			refuse_one(server, errno);
		else if (errno == ENOMEM || errno == ENOBUFS)
			pause_accepting(server);
		/* Any other error is that of one connection, which is gone. */
		return;
	}
}

/* -- hellos -------------------------------------------------------------------------------- */

static struct session *find_for_hello(struct server *server, const struct hello *hello)
{
	struct turn *turn;

	TAILQ_FOREACH(turn, &server->clients, link)
	if (session_is_creating(turn->session) && session_parameters(turn->session)->udp &&
	    address_same_host(session_peer(turn->session), &hello->peer))
		return turn->session;
	return NULL;
}

/**
 * A client whose stream could not be opened asks for its others one by one before it listens to
 * what went wrong: the listening socket answers in their place.
 */
static void answer_refused(struct server *server, const struct hello *hello)
{
	struct turn *turn;

	TAILQ_FOREACH(turn, &server->clients, link)
	if (session_is_refused(turn->session) && session_parameters(turn->session)->udp &&
	    address_same_host(session_peer(turn->session), &hello->peer)) {
		hello_answer_from(server->udp.fd, hello);
		return;
	}
}

/** Opens a stream for a hello; returns how many strays were found with it. */
static size_t take_hello(struct server *server, const struct hello *hello, struct hello *strays,
			 size_t room)
{
	struct session *session = find_for_hello(server, hello);
	size_t count = 0;
	int fd, error;

	/* A hello nobody waits for is not answered, and one that came twice has been. */
	if (!session)
		answer_refused(server, hello);
	if (!session || session_has_stream(session, &hello->peer))
		return 0;
	fd = hello_accept(hello, strays, room, &count);
	if (fd < 0) {
		session_stream_failed(session, -fd);
		answer_refused(server, hello);
		return 0;
	}
	error = hello_answer(fd);
	if (error) {
		close(fd);
		session_stream_failed(session, -error);
		return count;
	}
	session_add_stream(session, fd);
	return count;
}

static void udp_ready(struct watch *watch, uint32_t events)
{
	struct server *server =
		(struct server *)(void *)((char *)watch - offsetof(struct server, udp));
	struct hello queue[HELLO_QUEUE];

	(void)events;
	for (int i = 0; i < ACCEPT_BATCH && hello_receive(watch->fd, &queue[0]); i++) {
		size_t count = 1;

		while (count > 0) {
			struct hello hello = queue[--count];

			count += take_hello(server, &hello, queue + count, HELLO_QUEUE - count);
		}
	}
}

/* -- life ---------------------------------------------------------------------------------- */

int arrivals_open(struct server *server)
{
	int error;

	server->tcp.fd = server->listener.fd;
	server->tcp.ready = tcp_ready;
	server->udp.ready = udp_ready;
	server->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	error = loop_watch(server->config.loop, &server->tcp, EPOLLIN);
	return error ? error : loop_watch(server->config.loop, &server->udp, EPOLLIN);
}

void arrivals_stop(struct server *server)
{
	loop_unwatch(server->config.loop, &server->tcp);
	server->accept_paused_until_ns = 0;
}

void arrivals_close(struct server *server)
{
	struct newcomer *newcomer;

	while ((newcomer = TAILQ_FIRST(&server->newcomers)))
		remove_newcomer(server, newcomer);
	loop_unwatch(server->config.loop, &server->tcp);
	loop_unwatch(server->config.loop, &server->udp);
	if (server->reserve_fd >= 0)
		close(server->reserve_fd);
}

void arrivals_tick(struct server *server, uint64_t now_ns, uint64_t *due_ns)
{
	struct newcomer *newcomer, *next;

	if (server->accept_paused_until_ns && now_ns >= server->accept_paused_until_ns) {
		server->accept_paused_until_ns = 0;
		loop_watch(server->config.loop, &server->tcp, EPOLLIN);
	}
	if (server->accept_paused_until_ns)
		server_due_earlier(due_ns, server->accept_paused_until_ns);
	for (newcomer = TAILQ_FIRST(&server->newcomers); newcomer; newcomer = next) {
		next = TAILQ_NEXT(newcomer, link);
		if (server->heard_ns >= newcomer->deadline_ns && newcomer->starved && !newcomer->refused)
			refuse_starved(server, newcomer);
		else if (server->heard_ns >= newcomer->deadline_ns)
			newcomer_done(newcomer, "it did not send its cookie in time");
		else
			server_due_earlier(due_ns, newcomer->deadline_ns);
	}
}
