/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The iperf3 server: its clients, their turns and their time. See server.h. */
#include "netbench/iperf3/server.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netbench/clock.h"
#include "netbench/iperf3/error.h"
#include "netbench/iperf3/hello.h"
#include "netbench/iperf3/server_private.h"

#define ANY_PORT_TRIALS 16
#define LOOP_MS_MAX	60000
#define BEHIND_NS_MAX (30 * NS_PER_S)

/** A session and the server it belongs to: what hooks are called with. */
struct client {
	struct turn turn; /* first: found by it */
	struct server *server;
	bool tuned_listener;
};

/* -- clients ------------------------------------------------------------------------------- */

static void client_ready(void *context, struct session *session)
{
	struct client *client = context;
	struct server *server = client->server;

	(void)session;
	/* To the end: the list is in the order in which they became ready. */
	TAILQ_REMOVE(&server->clients, &client->turn, link);
	TAILQ_INSERT_TAIL(&server->clients, &client->turn, link);
}

static void client_streams_done(void *context, struct session *session)
{
	struct client *client = context;

	(void)session;
	if (client->tuned_listener)
		listener_restore(&client->server->listener);
	client->tuned_listener = false;
}

static void client_started(void *context, const struct report *report)
{
	struct client *client = context;

	client->server->config.started(client->server->config.context, report);
}

static void client_ended(void *context, const struct report *report)
{
	struct client *client = context;

	client->server->config.ended(client->server->config.context, report);
}

static void client_rejected(void *context, const char *peer, const char *reason)
{
	struct client *client = context;

	client->server->config.rejected(client->server->config.context, peer, reason);
}

static void grant_turns(struct server *server)
{
	struct turn *turn;

	TAILQ_FOREACH(turn, &server->clients, link)
	{
		const struct parameters *parameters = session_parameters(turn->session);
		unsigned int error = IPERF3_OK;

		if (!session_is_waiting(turn->session) || !turn_may_begin(&server->clients, turn))
			continue;
		if (turn_is_special(turn->session)) {
			error = listener_tune(&server->listener, parameters->window_bytes,
					      parameters->mss);
			((struct client *)(void *)turn)->tuned_listener = !error;
		}
		session_create_streams(turn->session, error);
	}
	TAILQ_FOREACH(turn, &server->clients, link)
	if (session_is_creating(turn->session))
		session_hurry(turn->session, turn_is_waited_for(&server->clients, turn));
}

static void destroy_client(struct server *server, struct client *client)
{
	TAILQ_REMOVE(&server->clients, &client->turn, link);
	session_destroy(client->turn.session);
	free(client);
}

bool server_add_client(struct server *server, struct newcomer *newcomer)
{
	struct session_config config = {
		.fd = newcomer->watch.fd,
		.peer = newcomer->peer,
		.loop = server->config.loop,
		.engine = server->config.engine,
		.hooks = &server->hooks,
		.accepted_ns = newcomer->accepted_ns,
	};
	struct client *client = calloc(1, sizeof(*client));

	if (!client)
		return false;
	client->server = server;
	memcpy(config.cookie, newcomer->cookie, sizeof(config.cookie));
	config.context = client;
	newcomer_release_fd(newcomer);
	client->turn.session = session_open(&config);
	if (!client->turn.session) {
		int cause = errno;

		newcomer->watch.fd = config.fd;
		loop_watch(server->config.loop, &newcomer->watch, EPOLLIN);
		free(client);
		errno = cause;
		return false;
	}
	TAILQ_INSERT_TAIL(&server->clients, &client->turn, link);
	return true;
}

/* -- life ---------------------------------------------------------------------------------- */

static uint16_t port_of(int fd)
{
	union address bound = { 0 };
	socklen_t bytes = sizeof(bound);

	if (getsockname(fd, &bound.any, &bytes) < 0)
		return 0;
	return address_port(&bound);
}

/** Opens TCP and UDP on the same port. Returns 0 or -errno, *protocol tells which. */
static int open_port(struct server *server, union address *address, const char **protocol)
{
	bool any_port = address_port(address) == 0;
	int error = 0;

	for (int i = 0; i < ANY_PORT_TRIALS; i++) {
		*protocol = "tcp";
		error = listener_open(&server->listener, address);
		if (error)
			return error;
		server->port = port_of(server->listener.fd);
		address_set_port(address, server->port);
		*protocol = "udp";
		error = hello_listen(address);
		if (error >= 0) {
			server->udp.fd = error;
			return 0;
		}
		listener_close(&server->listener);
		if (!any_port || error != -EADDRINUSE)
			return error;
		address_set_port(address, 0);
	}
	return error;
}

static void explain(int error, const struct server_config *config, const char *protocol, char *why,
		    size_t why_bytes)
{
	bool tcp = protocol[0] == 't';
	const char *address = config->bind_address ? config->bind_address : "all addresses";

	if (error == -EADDRINUSE)
		snprintf(
			why, why_bytes,
			"port %u (%s): %s; see by whom: ss -l%cnp 'sport = :%u', or choose another "
			"with --port",
			config->port, tcp ? "TCP" : "UDP", strerror(-error), tcp ? 't' : 'u',
			config->port);
	else if (error == -EADDRNOTAVAIL)
		snprintf(why, why_bytes, "%s: %s; see which addresses this host has: ip address",
			 address, strerror(-error));
	else if (error == -EACCES)
		snprintf(why, why_bytes,
			 "port %u: %s; ports below 1024 are for root, choose another "
			 "with --port",
			 config->port, strerror(-error));
	else
		snprintf(why, why_bytes, "%s, port %u (%s): %s", address, config->port, protocol,
			 strerror(-error));
}

struct server *server_open(const struct server_config *config, char *why, size_t why_bytes)
{
	struct server *server = calloc(1, sizeof(*server));
	const char *protocol = "tcp";
	union address address;
	int error;

	if (!server) {
		snprintf(why, why_bytes, "no memory for the server");
		return NULL;
	}
	server->config = *config;
	server->hooks = (struct session_hooks){ client_ready, client_streams_done, client_started,
						client_ended, client_rejected };
	server->listener.fd = server->udp.fd = server->reserve_fd = -1;
	TAILQ_INIT(&server->newcomers);
	TAILQ_INIT(&server->clients);
	error = address_to_bind(config->bind_address, config->port, &address);
	if (error) {
		snprintf(why, why_bytes, "%s: %s", config->bind_address, gai_strerror(error));
		errno = EINVAL;
		goto fail;
	}
	error = open_port(server, &address, &protocol);
	if (!error)
		error = arrivals_open(server);
	if (!error)
		return server;
	explain(error, config, protocol, why, why_bytes);
	errno = -error;
fail:
	error = errno;
	server_close(server);
	errno = error;
	return NULL;
}

uint16_t server_port(const struct server *server)
{
	return server->port;
}

void server_stop_listening(struct server *server)
{
	arrivals_stop(server);
	listener_close(&server->listener);
}

bool server_is_idle(const struct server *server)
{
	return TAILQ_EMPTY(&server->clients);
}

void server_terminate(struct server *server)
{
	struct turn *turn;

	TAILQ_FOREACH(turn, &server->clients, link)
	session_terminate(turn->session);
}

void server_close(struct server *server)
{
	struct turn *turn;

	if (!server)
		return;
	while ((turn = TAILQ_FIRST(&server->clients)))
		destroy_client(server, (struct client *)(void *)turn);
	arrivals_close(server);
	listener_close(&server->listener);
	if (server->udp.fd >= 0)
		close(server->udp.fd);
	free(server);
}

/* -- time ---------------------------------------------------------------------------------- */

static void tick_clients(struct server *server, uint64_t now_ns, uint64_t *due_ns)
{
	struct turn *turn, *next;

	TAILQ_FOREACH(turn, &server->clients, link)
	session_tick(turn->session, now_ns, server->heard_ns);
	grant_turns(server);
	for (turn = TAILQ_FIRST(&server->clients); turn; turn = next) {
		next = TAILQ_NEXT(turn, link);
		if (session_over(turn->session))
			destroy_client(server, (struct client *)(void *)turn);
		else
			server_due_earlier(due_ns, session_due_ns(turn->session));
	}
}

/*
 * A server that is behind, on a machine with too much to do, must not blame its clients for it: what
 * they did in time may be waiting here. So a deadline is held against them once everything that came
 * before it has been seen. Yet somebody who sends without pause must not keep the others for ever.
 */
static void note_heard(struct server *server, uint64_t now_ns)
{
	if (!loop_has_events(server->config.loop))
		server->heard_ns = now_ns;
	else if (server->heard_ns + BEHIND_NS_MAX < now_ns)
		server->heard_ns = now_ns - BEHIND_NS_MAX;
}

int server_tick(struct server *server)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t due_ns = UINT64_MAX;

	note_heard(server, now_ns);
	arrivals_tick(server, now_ns, &due_ns);
	tick_clients(server, now_ns, &due_ns);
	if (due_ns == UINT64_MAX)
		return -1;
	if (due_ns <= now_ns)
		return 0;
	due_ns = (due_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
	return due_ns > LOOP_MS_MAX ? LOOP_MS_MAX : (int)due_ns;
}
