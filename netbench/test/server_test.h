/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * For tests of the iperf3 server from bytes: a server on loopback and clients that say exactly what
 * a test lets them say, in one thread. The program has a clock_gettime() of its own that can be set
 * ahead, so that limits of many seconds pass at once.
 */
#ifndef NETBENCH_TEST_SERVER_TEST_H
#define NETBENCH_TEST_SERVER_TEST_H

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "copylib/copylib.h"
#include "netbench/clock.h"
#include "netbench/engine/engine.h"
#include "netbench/iperf3/report.h"
#include "netbench/iperf3/server.h"
#include "netbench/iperf3/streams.h"
#include "netbench/iperf3/wire.h"
#include "netbench/loop.h"

#define WAIT_ROUNDS  1000 /* of 5 ms */
#define MAYBE_UNUSED __attribute__((unused))

static atomic_uint_fast64_t clock_ahead_ns;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t ns;
	long error = syscall(SYS_clock_gettime, clock, now);

	if (error || clock != CLOCK_MONOTONIC)
		return (int)error;
	ns = (uint64_t)now->tv_sec * NS_PER_S + (uint64_t)now->tv_nsec + clock_ahead_ns;
	now->tv_sec = (time_t)(ns / NS_PER_S);
	now->tv_nsec = (long)(ns % NS_PER_S);
	return 0;
}

/* -- the server ---------------------------------------------------------------------------- */

static struct loop *loop;
static struct engine *engine;
static struct server *server;
static struct watch engine_events;
static int descriptors_before;

static struct {
	int started, ended, rejected;
	struct report report; /* of the last that ended */
	char reason[256];     /* of the last that was rejected */
} told;

static void note_started(void *context, const struct report *report)
{
	(void)context;
	(void)report;
	told.started++;
}

static void note_ended(void *context, const struct report *report)
{
	(void)context;
	told.ended++;
	told.report = *report;
}

static void note_rejected(void *context, const char *client, const char *reason)
{
	(void)context;
	(void)client;
	told.rejected++;
	snprintf(told.reason, sizeof(told.reason), "%s", reason);
}

static void engine_ready(struct watch *watch, uint32_t events)
{
	struct flow *flow;

	(void)watch;
	(void)events;
	while ((flow = engine_next_ended(engine)))
		streams_flow_ended(flow);
}

static int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static int open_server_copying_by(const struct copy_variant *copy)
{
	const struct engine_options options = { .copy = copy, .ring_bytes = 131072 };
	struct server_config config = { .bind_address = "127.0.0.1",
					.started = note_started,
					.ended = note_ended,
					.rejected = note_rejected };
	char why[256];

	descriptors_before = count_descriptors();
	memset(&told, 0, sizeof(told));
	config.loop = loop = loop_open();
	config.engine = engine = engine_open("threads", &options, why, sizeof(why));
	if (!loop || !engine)
		return -1;
	engine_events = (struct watch){ .fd = engine_event_fd(engine), .ready = engine_ready };
	server = server_open(&config, why, sizeof(why));
	return server && loop_watch(loop, &engine_events, EPOLLIN) == 0 ? 0 : -1;
}

static MAYBE_UNUSED int open_server(void **state)
{
	(void)state;
	return open_server_copying_by(copy_variant_find("libc"));
}

static MAYBE_UNUSED int close_server(void **state)
{
	(void)state;
	loop_unwatch(loop, &engine_events);
	engine_close(engine);
	server_close(server);
	loop_close(loop);
	if (count_descriptors() != descriptors_before) {
		print_error("%d descriptors before, %d after\n", descriptors_before,
			    count_descriptors());
		return -1;
	}
	return 0;
}

/** Lets the server do what there is to do, at least once. */
static void serve_once(void)
{
	int timeout_ms = server_tick(server);

	assert_int_equal(loop_run(loop, timeout_ms >= 0 && timeout_ms < 5 ? timeout_ms : 5), 0);
	server_tick(server);
}

/** Serves until condition; fails the test when that takes too long. */
#define SERVE_UNTIL(condition)                                                                    \
	do {                                                                                      \
		int rounds = 0;                                                                   \
		while (!(condition)) {                                                            \
			serve_once();                                                             \
			if (++rounds > WAIT_ROUNDS)                                               \
				fail_msg("line %d: waited in vain for %s", __LINE__, #condition); \
		}                                                                                 \
	} while (0)

static MAYBE_UNUSED void serve_rounds(int rounds)
{
	while (rounds-- > 0)
		serve_once();
}

static MAYBE_UNUSED void clock_forward(unsigned int seconds)
{
	clock_ahead_ns += seconds * NS_PER_S;
}

/* -- clients ------------------------------------------------------------------------------- */

static const char cookie_a[WIRE_COOKIE_BYTES] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static MAYBE_UNUSED const char cookie_b[WIRE_COOKIE_BYTES] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

static struct sockaddr_in address_of(const char *host, uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	assert_int_equal(inet_pton(AF_INET, host, &address.sin_addr), 1);
	return address;
}

/** A client's socket, bound to one of this host's addresses and connected to the server. */
static int connect_from(const char *host, int type)
{
	struct sockaddr_in local = address_of(host, 0);
	struct sockaddr_in remote = address_of("127.0.0.1", server_port(server));
	int fd = socket(AF_INET, type, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&local, sizeof(local)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&remote, sizeof(remote)), 0);
	return fd;
}

static MAYBE_UNUSED int connect_tcp(void)
{
	return connect_from("127.0.0.1", SOCK_STREAM);
}

static void say(int fd, const void *data, size_t bytes)
{
	assert_int_equal(send(fd, data, bytes, MSG_NOSIGNAL), (ssize_t)bytes);
}

static MAYBE_UNUSED void say_state(int fd, int state)
{
	int8_t byte = (int8_t)state;

	say(fd, &byte, 1);
}

static MAYBE_UNUSED void say_json(int fd, const char *text)
{
	uint8_t length[WIRE_LENGTH_BYTES];

	wire_put_u32(length, (uint32_t)strlen(text));
	say(fd, length, sizeof(length));
	say(fd, text, strlen(text));
}

/** Serves until so many bytes have come. */
static void hear(int fd, void *data, size_t bytes)
{
	uint8_t *at = data;

	for (size_t got = 0; got < bytes;) {
		ssize_t part = -1;

		SERVE_UNTIL((part = recv(fd, at + got, bytes - got, MSG_DONTWAIT)) >= 0 ||
			    errno != EAGAIN);
		if (part <= 0)
			fail_msg("the connection ended after %zu of %zu bytes", got, bytes);
		got += (size_t)part;
	}
}

#define HEAR_STATE(fd, expected)                                                    \
	do {                                                                        \
		int8_t heard;                                                       \
		hear(fd, &heard, 1);                                                \
		if (heard != (expected))                                            \
			fail_msg("line %d: heard %d (%s), not %s", __LINE__, heard, \
				 wire_state_name(heard), #expected);                \
	} while (0)

/** Hears SERVER_ERROR with the number, and then the end. */
#define HEAR_ERROR(fd, number)                                                                    \
	do {                                                                                      \
		uint8_t heard[WIRE_ERROR_BYTES];                                                  \
		hear(fd, heard, sizeof(heard));                                                   \
		if ((int8_t)heard[0] != WIRE_SERVER_ERROR || wire_get_u32(heard + 1) != (number)) \
			fail_msg("line %d: heard %d with %u, not an error %u", __LINE__,          \
				 (int8_t)heard[0], wire_get_u32(heard + 1), number);              \
		HEAR_END(fd);                                                                     \
	} while (0)

#define HEAR_END(fd)                                                                           \
	do {                                                                                   \
		char more;                                                                     \
		ssize_t end;                                                                   \
		SERVE_UNTIL((end = recv(fd, &more, 1, MSG_DONTWAIT)) >= 0 || errno != EAGAIN); \
		if (end != 0)                                                                  \
			fail_msg("line %d: not the end: %zd", __LINE__, end);                  \
	} while (0)

/** Is nothing to be heard for some time? */
static MAYBE_UNUSED bool is_silent(int fd)
{
	char more;

	serve_rounds(10);
	return recv(fd, &more, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

/** A client that has sent its parameters. */
static MAYBE_UNUSED int begin_client(const char *host, const char *cookie, const char *parameters)
{
	int fd = connect_from(host, SOCK_STREAM);

	say(fd, cookie, WIRE_COOKIE_BYTES);
	HEAR_STATE(fd, WIRE_PARAM_EXCHANGE);
	say_json(fd, parameters);
	return fd;
}

static MAYBE_UNUSED int open_stream(const char *cookie)
{
	int fd = connect_tcp();

	say(fd, cookie, WIRE_COOKIE_BYTES);
	return fd;
}

/** A plain client whose test is running; its stream in *stream. */
static MAYBE_UNUSED int begin_running(const char *parameters, int *stream)
{
	int fd = begin_client("127.0.0.1", cookie_a, parameters);

	HEAR_STATE(fd, WIRE_CREATE_STREAMS);
	*stream = open_stream(cookie_a);
	HEAR_STATE(fd, WIRE_TEST_START);
	HEAR_STATE(fd, WIRE_TEST_RUNNING);
	return fd;
}

#define RESULTS_HEAD                                                       \
	"{\"cpu_util_total\":1,\"cpu_util_user\":1,\"cpu_util_system\":0," \
	"\"sender_has_retransmits\":1,\"streams\":["
#define RESULTS_STREAM(id, bytes)           \
	"{\"id\":" #id ",\"bytes\":" #bytes \
	",\"retransmits\":0,\"jitter\":0,\"errors\":0,\"packets\":0}"

/** Exchanges results and leaves; the server's are in results. */
static MAYBE_UNUSED void finish_client(int fd, const char *text, struct results *results)
{
	uint8_t length[WIRE_LENGTH_BYTES];
	char why[256] = "";
	char *answer;
	size_t bytes;

	HEAR_STATE(fd, WIRE_EXCHANGE_RESULTS);
	say_json(fd, text);
	hear(fd, length, sizeof(length));
	bytes = wire_get_u32(length);
	assert_in_range(bytes, 2, 200000);
	answer = malloc(bytes);
	assert_non_null(answer);
	hear(fd, answer, bytes);
	if (!results_read(answer, bytes, results, why, sizeof(why)))
		fail_msg("the server's results: %s", why);
	free(answer);
	HEAR_STATE(fd, WIRE_DISPLAY_RESULTS);
	say_state(fd, WIRE_IPERF_DONE);
	HEAR_END(fd);
	close(fd);
}

#endif
