/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The echo server over loopback, with every engine: what comes back is what was sent, to those who
 * may be answered, and nobody can fill the server's memory or keep others from their answers.
 */
#define _GNU_SOURCE
#include "netbench/test/engine_test.h"

#include <pthread.h>
#include <stdatomic.h>

#include "netbench/echo.h"
#include "netbench/loop.h"

#define LARGE_BYTES	(((size_t)1 << 20) + 3)
#define NO_ANSWER_MS	100
#define CONNECTIONS_MAX 60

/* -- a running server ---------------------------------------------------------------------- */

struct server {
	struct loop *loop;
	struct engine *engine;
	struct echo *echo;
	struct watch ended;
	pthread_t thread;
	atomic_bool leave;
};

static void flow_ended(struct watch *watch, uint32_t events)
{
	struct server *server =
		(struct server *)(void *)((char *)watch - offsetof(struct server, ended));
	struct flow *flow;

	(void)events;
	while ((flow = engine_next_ended(server->engine)))
		if (!echo_flow_ended(server->echo, flow))
			abort();
}

static void *run_loop(void *argument)
{
	struct server *server = argument;

	while (!atomic_load(&server->leave))
		loop_run(server->loop, 10);
	return NULL;
}

static void start_server(struct server *server, void **state, const char *address)
{
	struct echo_config config = { .bind_address = address, .connections_max = CONNECTIONS_MAX };
	char why[256] = "";

	memset(server, 0, sizeof(*server));
	server->engine = setup(state);
	server->loop = loop_open();
	assert_non_null(server->loop);
	config.loop = server->loop;
	config.engine = server->engine;
	server->echo = echo_open(&config, why, sizeof(why));
	if (!server->echo)
		fail_msg("echo_open: %s", why);
	server->ended.fd = engine_event_fd(server->engine);
	server->ended.ready = flow_ended;
	assert_int_equal(loop_watch(server->loop, &server->ended, EPOLLIN), 0);
	assert_int_equal(pthread_create(&server->thread, NULL, run_loop, server), 0);
}

static void stop_server(struct server *server)
{
	atomic_store(&server->leave, true);
	pthread_join(server->thread, NULL);
	teardown(server->engine);
	echo_close(server->echo);
	loop_close(server->loop);
}

/* -- clients ------------------------------------------------------------------------------- */

static struct sockaddr_in server_address(const struct server *server, const char *text)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(echo_port(server->echo)) };

	assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
	return address;
}

static int client(const struct server *server, int type, const char *to)
{
	struct sockaddr_in address = server_address(server, to);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	check(fd, "socket");
	check(connect(fd, (struct sockaddr *)&address, sizeof(address)), "connect");
	return fd;
}

/* Sends all and reads all at the same time, as the answers do not fit into the sockets. */
static void exchange(int fd, const unsigned char *data, unsigned char *answer, size_t bytes)
{
	size_t sent = 0, got = 0;

	while (got < bytes) {
		struct pollfd wait = { .fd = fd, .events = POLLIN | (sent < bytes ? POLLOUT : 0) };
		ssize_t n;

		if (poll(&wait, 1, WAIT_LIMIT_MS) != 1)
			fail_msg("%zu of %zu bytes came back", got, bytes);
		n = sent < bytes ? send(fd, data + sent, bytes - sent, MSG_DONTWAIT) : 0;
		if (n > 0)
			sent += (size_t)n;
		n = recv(fd, answer + got, bytes - got, MSG_DONTWAIT);
		if (n == 0)
			fail_msg("end of file after %zu of %zu bytes", got, bytes);
		if (n > 0)
			got += (size_t)n;
	}
}

static void expect_same(const unsigned char *data, const unsigned char *answer, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (data[i] != answer[i])
			fail_msg("%zu bytes: byte %zu is %02x, should be %02x", bytes, i, answer[i],
				 data[i]);
}

static void expect_end_of_file(int fd)
{
	unsigned char byte;

	assert_int_equal(read_up_to(fd, &byte, 1), 0);
}

static void expect_no_answer(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	assert_int_equal(poll(&wait, 1, NO_ANSWER_MS), 0);
}

/* -- TCP ----------------------------------------------------------------------------------- */

static void every_byte_comes_back(void **state)
{
	static const size_t sizes[] = {
		0, 1, 7, 64, SLOT_BYTES - 1, SLOT_BYTES, SLOT_BYTES + 1, LARGE_BYTES
	};
	unsigned char *data = malloc(LARGE_BYTES), *answer = malloc(LARGE_BYTES);
	struct server server;

	start_server(&server, state, NULL);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int fd = client(&server, SOCK_STREAM, "127.0.0.1");

		for (unsigned int round = 0; round < 3; round++) {
			fill_bytes(data, sizes[i], round);
			memset(answer, 0, sizes[i]);
			exchange(fd, data, answer, sizes[i]);
			expect_same(data, answer, sizes[i]);
		}
		check(shutdown(fd, SHUT_WR), "shutdown");
		expect_end_of_file(fd);
		close(fd);
	}
	stop_server(&server);
	free(data);
	free(answer);
}

static void half_closed_clients_get_all(void **state)
{
	unsigned char data[5000], answer[5000];
	struct server server;
	int fd;

	start_server(&server, state, NULL);
	fd = client(&server, SOCK_STREAM, "127.0.0.1");
	fill_bytes(data, sizeof(data), 5);
	write_all(fd, data, sizeof(data));
	check(shutdown(fd, SHUT_WR), "shutdown");
	assert_int_equal(read_up_to(fd, answer, sizeof(answer)), sizeof(answer));
	expect_same(data, answer, sizeof(data));
	expect_end_of_file(fd);
	close(fd);
	stop_server(&server);
}

/* Clients that send and never read: each is soon not read from any more, and others are served. */
static void who_does_not_read_is_not_read_from(void **state)
{
	enum { STUCK = 8 };
	static unsigned char data[100000], answer[100000];
	struct server server;
	int stuck[STUCK], fd;

	start_server(&server, state, NULL);
	for (int i = 0; i < STUCK; i++) {
		size_t taken = 0;
		struct pollfd wait = { .events = POLLOUT };

		stuck[i] = client(&server, SOCK_STREAM, "127.0.0.1");
		wait.fd = stuck[i];
		while (poll(&wait, 1, NO_ANSWER_MS) == 1) {
			ssize_t n = send(stuck[i], data, sizeof(data), MSG_DONTWAIT);

			check((int)n, "send");
			taken += (size_t)n;
			if (taken > (size_t)256 << 20)
				fail_msg("%zu bytes were taken, none was read back", taken);
		}
	}
	fd = client(&server, SOCK_STREAM, "127.0.0.1");
	fill_bytes(data, sizeof(data), 9);
	exchange(fd, data, answer, sizeof(data));
	expect_same(data, answer, sizeof(data));
	close(fd);
	for (int i = 0; i < STUCK; i++)
		close(stuck[i]);
	stop_server(&server);
}

static void idle_connections_do_not_disturb(void **state)
{
	unsigned int before = count_descriptors();
	unsigned char data[3000], answer[3000];
	struct server server;
	int fds[CONNECTIONS_MAX];

	start_server(&server, state, NULL);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		fds[i] = client(&server, SOCK_STREAM, "127.0.0.1");
	for (unsigned int round = 0; round < 2; round++) {
		for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
			fill_bytes(data, sizeof(data), (unsigned int)i + round);
			exchange(fds[i], data, answer, sizeof(data));
			expect_same(data, answer, sizeof(data));
		}
	}
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		close(fds[i]);
	stop_server(&server);
	assert_int_equal(count_descriptors(), before);
}

static void connections_beyond_the_limit_are_closed(void **state)
{
	unsigned char data[10], answer[10];
	struct server server;
	int fds[CONNECTIONS_MAX], fd;

	start_server(&server, state, NULL);
	fill_bytes(data, sizeof(data), 1);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		fds[i] = client(&server, SOCK_STREAM, "127.0.0.1");
		exchange(fds[i], data, answer, sizeof(data));
	}
	fd = client(&server, SOCK_STREAM, "127.0.0.1");
	expect_end_of_file(fd);
	close(fd);
	check(shutdown(fds[0], SHUT_WR), "shutdown");
	expect_end_of_file(fds[0]);
	fd = client(&server, SOCK_STREAM, "127.0.0.1");
	exchange(fd, data, answer, sizeof(data));
	close(fd);
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		close(fds[i]);
	stop_server(&server);
}

/* -- UDP ----------------------------------------------------------------------------------- */

static void every_datagram_comes_back(void **state)
{
	static const size_t sizes[] = {
		0, 1, 12, 1448, 1472, 9000, 65506, FLOW_DATAGRAM_BYTES_MAX
	};
	static const char *const addresses[] = { "127.0.0.1", "127.0.0.77" };
	static unsigned char data[FLOW_DATAGRAM_BYTES_MAX], answer[FLOW_DATAGRAM_BYTES_MAX + 1];
	struct server server;

	start_server(&server, state, NULL);
	for (size_t a = 0; a < 2; a++) {
		/* Connected, so that only an answer from that very address is taken. */
		int fd = client(&server, SOCK_DGRAM, addresses[a]);

		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			struct pollfd wait = { .fd = fd, .events = POLLIN };

			fill_bytes(data, sizes[i], (unsigned int)(a + i));
			check((int)send(fd, data, sizes[i], 0), "send");
			if (poll(&wait, 1, WAIT_LIMIT_MS) != 1)
				fail_msg("%s: %zu bytes: no answer", addresses[a], sizes[i]);
			assert_int_equal(recv(fd, answer, sizeof(answer), 0), sizes[i]);
			expect_same(data, answer, sizes[i]);
		}
		expect_no_answer(fd);
		close(fd);
	}
	stop_server(&server);
}

static void datagrams_come_back_over_ipv6(void **state)
{
	struct server server;
	struct sockaddr_in6 address = { .sin6_family = AF_INET6,
					.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct pollfd wait = { .events = POLLIN };
	char answer[10] = "";
	int fd;

	start_server(&server, state, NULL);
	address.sin6_port = htons(echo_port(server.echo));
	fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		print_message("# no IPv6 on loopback: %s\n", strerror(errno));
		if (fd >= 0)
			close(fd);
		stop_server(&server);
		skip();
	}
	check((int)send(fd, "abc", 3, 0), "send");
	wait.fd = fd;
	assert_int_equal(poll(&wait, 1, WAIT_LIMIT_MS), 1);
	assert_int_equal(recv(fd, answer, sizeof(answer), 0), 3);
	assert_string_equal(answer, "abc");
	close(fd);
	stop_server(&server);
}

/* Sends from a port of our choice; false: we may not bind that. */
static bool is_answered(const struct server *server, const char *from, uint16_t port,
			bool *answered)
{
	struct sockaddr_in to = server_address(server, "127.0.0.1");
	struct sockaddr_in own = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	assert_int_equal(inet_pton(AF_INET, from, &own.sin_addr), 1);
	if (bind(fd, (struct sockaddr *)&own, sizeof(own)) < 0) {
		close(fd);
		return false;
	}
	check((int)sendto(fd, "x", 1, 0, (struct sockaddr *)&to, sizeof(to)), "sendto");
	*answered = poll(&wait, 1, NO_ANSWER_MS) == 1;
	close(fd);
	return true;
}

static void services_and_echo_servers_are_not_answered(void **state)
{
	struct server server;
	bool answered;

	/* Bound to one address, so that another socket can have the same port on another one. */
	start_server(&server, state, "127.0.0.1");
	assert_true(is_answered(&server, "127.0.0.9", echo_port(server.echo), &answered));
	assert_false(answered);
	if (is_answered(&server, "127.0.0.9", 1023, &answered))
		assert_false(answered);
	if (is_answered(&server, "127.0.0.9", 7, &answered))
		assert_false(answered);
	assert_true(is_answered(&server, "127.0.0.9", 0, &answered));
	assert_true(answered);
	stop_server(&server);
}

/* Answers to a client that is gone come back as ICMP errors; the next client must not notice. */
static void clients_that_are_gone_disturb_nobody(void **state)
{
	struct server server;
	struct pollfd wait = { .events = POLLIN };

	start_server(&server, state, NULL);
	for (int i = 0; i < 20; i++) {
		int fd = client(&server, SOCK_DGRAM, "127.0.0.1");

		check((int)send(fd, "x", 1, 0), "send");
		close(fd);
	}
	wait.fd = client(&server, SOCK_DGRAM, "127.0.0.1");
	check((int)send(wait.fd, "y", 1, 0), "send");
	assert_int_equal(poll(&wait, 1, WAIT_LIMIT_MS), 1);
	close(wait.fd);
	stop_server(&server);
}

/* -- set-up -------------------------------------------------------------------------------- */

/* A port that is free for both; what comes back is a socket of that type which holds it. */
static int occupy_port(bool tcp, struct sockaddr_in *address)
{
	for (;;) {
		int stream = loopback_socket(SOCK_STREAM, address);
		int datagram = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

		check(datagram, "socket");
		check(listen(stream, 1), "listen");
		if (bind(datagram, (struct sockaddr *)address, sizeof(*address)) == 0) {
			close(tcp ? datagram : stream);
			return tcp ? stream : datagram;
		}
		close(stream);
		close(datagram);
	}
}

static void a_port_in_use_is_an_error(void **state)
{
	struct engine *engine = setup(state);
	struct echo_config config = { .bind_address = "127.0.0.1", .engine = engine };
	unsigned int before;

	config.loop = loop_open();
	before = count_descriptors();
	for (int tcp = 0; tcp < 2; tcp++) {
		struct sockaddr_in address;
		int fd = occupy_port(tcp, &address);
		char why[256] = "";

		config.port = ntohs(address.sin_port);
		assert_null(echo_open(&config, why, sizeof(why)));
		assert_int_equal(errno, EADDRINUSE);
		if (!strstr(why, tcp ? "TCP" : "UDP"))
			fail_msg("%s is occupied: %s", tcp ? "TCP" : "UDP", why);
		close(fd);
	}
	assert_int_equal(count_descriptors(), before);
	loop_close(config.loop);
	teardown(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_byte_comes_back),
		cmocka_unit_test(half_closed_clients_get_all),
		cmocka_unit_test(who_does_not_read_is_not_read_from),
		cmocka_unit_test(idle_connections_do_not_disturb),
		cmocka_unit_test(connections_beyond_the_limit_are_closed),
		cmocka_unit_test(every_datagram_comes_back),
		cmocka_unit_test(datagrams_come_back_over_ipv6),
		cmocka_unit_test(services_and_echo_servers_are_not_answered),
		cmocka_unit_test(clients_that_are_gone_disturb_nobody),
		cmocka_unit_test(a_port_in_use_is_an_error),
	};

	return run_for_engines("echo", tests, sizeof(tests) / sizeof(tests[0]));
}
