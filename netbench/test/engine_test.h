/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * For the tests of engines and of echo: each test runs once for every engine, its name led by the
 * engine's, and is skipped with the reason where that engine does not work. Sockets are on
 * loopback, waits are bounded.
 */
#ifndef NETBENCH_TEST_ENGINE_TEST_H
#define NETBENCH_TEST_ENGINE_TEST_H

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include <stdatomic.h>

#include "copylib/copylib.h"
#include "netbench/clock.h"
#include "netbench/engine/engine.h"
#include "netbench/engine/uring_private.h"
#include "netbench/flow.h"

#define WAIT_LIMIT_MS 10000
#define MAYBE_UNUSED  __attribute__((unused))

/* How the engine under test is opened; the state of each test points to one. */
struct test_engine {
	const char *label;
	struct engine *(*open)(const struct engine_options *options, char *why, size_t why_size);
};

/* -- engines ------------------------------------------------------------------------------- */

static struct engine *open_threads(const struct engine_options *options, char *why, size_t why_size)
{
	return engine_open("threads", options, why, why_size);
}

static struct engine *open_uring(const struct engine_options *options, char *why, size_t why_size)
{
	return engine_open("uring", options, why, why_size);
}

static struct engine *open_up_to_c(const struct engine_options *options, char *why, size_t why_size)
{
	return uring_open_up_to(URING_TIER_C, options, why, why_size);
}

static struct engine *open_uring_tier_c(const struct engine_options *options, char *why,
					size_t why_size)
{
	static struct engine_type tier_c;

	tier_c = engine_uring;
	tier_c.open = open_up_to_c;
	return engine_open_type(&tier_c, options, why, why_size);
}

static const struct test_engine test_engines[] = {
	{ "threads", open_threads },
	{ "uring", open_uring },
	{ "uring tier C", open_uring_tier_c },
};

#define TEST_ENGINES (sizeof(test_engines) / sizeof(test_engines[0]))

/* -- groups -------------------------------------------------------------------------------- */

/* Every test with every engine; returns the number of failed tests. */
MAYBE_UNUSED static int run_for_engines(const char *group, const struct CMUnitTest *tests,
					size_t test_count)
{
	struct CMUnitTest *all = calloc(TEST_ENGINES * test_count, sizeof(*all));
	int failed;

	if (!all)
		return 1;
	for (size_t e = 0; e < TEST_ENGINES; e++) {
		for (size_t t = 0; t < test_count; t++) {
			struct CMUnitTest *test = &all[e * test_count + t];
			char *name;

			*test = tests[t];
			test->initial_state = (void *)(uintptr_t)&test_engines[e];
			if (asprintf(&name, "%s: %s", test_engines[e].label, tests[t].name) < 0)
				return 1;
			test->name = name;
		}
	}
	failed = _cmocka_run_group_tests(group, all, TEST_ENGINES * test_count, NULL, NULL);
	for (size_t i = 0; i < TEST_ENGINES * test_count; i++)
		free((void *)(uintptr_t)all[i].name);
	free(all);
	return failed;
}

MAYBE_UNUSED static struct engine *open_or_skip(void **state, const struct engine_options *options)
{
	const struct test_engine *engine = *state;
	char why[256];
	struct engine *opened = engine->open(options, why, sizeof(why));

	if (!opened) {
		print_message("# %s: %s\n", engine->label, why);
		skip();
	}
	return opened;
}

/* -- an engine that looks at its copies --------------------------------------------------- */

#define SLOT_BYTES ((size_t)32 << 10)

/* Looks at the alignment of what it is given. */
static const unsigned int source_align = 3, destination_align = 42;
static _Atomic unsigned int misplaced;

static void *checking_memcpy(void *destination, const void *source, size_t bytes)
{
	if ((uintptr_t)source % 64 != source_align ||
	    (uintptr_t)destination % 64 != destination_align)
		atomic_fetch_add(&misplaced, 1);
	return memcpy(destination, source, bytes);
}

static const struct copy_variant checking = { .name = "checking", .memcpy = checking_memcpy };
static const struct engine_options options = {
	.copy = &checking,
	.ring_bytes = 100000,
	.source_align = source_align,
	.destination_align = destination_align,
	.slot_bytes = SLOT_BYTES,
	.workers = 2,
};

MAYBE_UNUSED static struct engine *setup(void **state)
{
	atomic_store(&misplaced, 0);
	return open_or_skip(state, &options);
}

MAYBE_UNUSED static void teardown(struct engine *engine)
{
	engine_close(engine);
	assert_int_equal(misplaced, 0);
}

/* -- sockets ------------------------------------------------------------------------------- */

static void check(int result, const char *what)
{
	if (result < 0)
		fail_msg("%s: %s", what, strerror(errno));
}

MAYBE_UNUSED static int loopback_socket(int type, struct sockaddr_in *address)
{
	socklen_t length = sizeof(*address);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	*address = (struct sockaddr_in){ .sin_family = AF_INET,
					 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	check(fd, "socket");
	check(bind(fd, (struct sockaddr *)address, length), "bind");
	check(getsockname(fd, (struct sockaddr *)address, &length), "getsockname");
	return fd;
}

/* pair[0] is non-blocking, for a flow; pair[1] is the test's end. */
MAYBE_UNUSED static void tcp_pair(int pair[2])
{
	struct sockaddr_in address;
	int listener = loopback_socket(SOCK_STREAM, &address);

	check(listen(listener, 1), "listen");
	pair[1] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	check(connect(pair[1], (struct sockaddr *)&address, sizeof(address)), "connect");
	pair[0] = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	check(pair[0], "accept");
	close(listener);
}

MAYBE_UNUSED static void udp_pair(int pair[2])
{
	struct sockaddr_in address[2];

	for (int i = 0; i < 2; i++)
		pair[i] = loopback_socket(SOCK_DGRAM, &address[i]);
	for (int i = 0; i < 2; i++)
		check(connect(pair[i], (struct sockaddr *)&address[!i], sizeof(address[0])),
		      "connect");
	check(fcntl(pair[0], F_SETFL, O_NONBLOCK), "fcntl");
}

MAYBE_UNUSED static void write_all(int fd, const void *data, size_t bytes)
{
	const unsigned char *at = data;

	while (bytes > 0) {
		ssize_t written = send(fd, at, bytes, MSG_NOSIGNAL);

		check((int)written, "send");
		at += written;
		bytes -= (size_t)written;
	}
}

/* Up to the end of file; returns how many bytes there were. */
MAYBE_UNUSED static size_t read_up_to(int fd, void *data, size_t bytes)
{
	size_t got = 0;

	while (got < bytes) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (poll(&wait, 1, WAIT_LIMIT_MS) != 1)
			fail_msg("only %zu of %zu bytes arrived", got, bytes);
		n = recv(fd, (unsigned char *)data + got, bytes - got, 0);
		check((int)n, "recv");
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return got;
}

/* Bytes in which every place differs from its neighbours and from other seeds. */
MAYBE_UNUSED static void fill_bytes(unsigned char *data, size_t bytes, unsigned int seed)
{
	for (size_t i = 0; i < bytes; i++)
		data[i] = (unsigned char)(i * 7 + (i >> 8) * 13 + (i >> 16) + seed);
}

MAYBE_UNUSED static unsigned int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* -- flows --------------------------------------------------------------------------------- */

MAYBE_UNUSED static struct flow *add_flow(struct engine *engine, const struct flow_config *config)
{
	struct flow *flow = flow_create(config);
	int error;

	assert_non_null(flow);
	error = engine_add(engine, flow);
	if (error)
		fail_msg("engine_add: %s", strerror(-error));
	return flow;
}

/* The next flow that ends; fails the test if none does. */
MAYBE_UNUSED static struct flow *wait_ended(struct engine *engine)
{
	struct pollfd wait = { .fd = engine_event_fd(engine), .events = POLLIN };
	struct flow *flow;

	if (poll(&wait, 1, WAIT_LIMIT_MS) != 1)
		fail_msg("no flow ended within %d ms", WAIT_LIMIT_MS);
	flow = engine_next_ended(engine);
	assert_non_null(flow);
	return flow;
}

MAYBE_UNUSED static struct flow_totals totals_of(const struct flow *flow)
{
	struct flow_totals totals;

	flow_read_totals(flow, &totals);
	return totals;
}

MAYBE_UNUSED static void wait_for_bytes(const struct flow *flow, uint64_t bytes)
{
	uint64_t limit_ns = clock_now_ns() + WAIT_LIMIT_MS * NS_PER_MS;

	while (totals_of(flow).bytes < bytes) {
		if (clock_now_ns() > limit_ns)
			fail_msg("the flow counted %llu bytes, waiting for %llu",
				 (unsigned long long)totals_of(flow).bytes,
				 (unsigned long long)bytes);
		usleep(500);
	}
}

#endif
