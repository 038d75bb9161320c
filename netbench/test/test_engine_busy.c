/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Engines whose flows have more to do than there are slots: each gets its turn, and a stop ends it
 * however much there is to do. Slots are small, and copy routines of the test hold the worker or
 * slow it down, so that the outcome does not depend on who is faster.
 */
#define _GNU_SOURCE
#include "netbench/test/engine_test.h"

#include <semaphore.h>
#include <sys/ioctl.h>

#define TURN_SLOT_BYTES ((size_t)512)
#define TURN_BYTES	((size_t)60000) /* fits into a socket that nobody reads from */
#define TURN_COPIES_MAX 40

static struct {
	sem_t held, release;
	unsigned char last;
	unsigned int run, longest;
} turns;

/* The first byte of each slot tells whose it is; 'z' holds the worker until it is released. */
static void *turn_memcpy(void *destination, const void *source, size_t bytes)
{
	unsigned char whose = *(const unsigned char *)source;

	if (whose == 'z') {
		sem_post(&turns.held);
		sem_wait(&turns.release);
	}
	turns.run = whose == turns.last ? turns.run + 1 : 1;
	turns.last = whose;
	if (turns.run > turns.longest)
		turns.longest = turns.run;
	return memcpy(destination, source, bytes);
}

/* A flow on a socket in which so many bytes already lie. */
static struct flow *flow_with_bytes(struct engine *engine, unsigned char byte, size_t bytes,
				    int *peer)
{
	unsigned char data[TURN_BYTES];
	int pair[2], queued = 0;

	memset(data, byte, bytes);
	tcp_pair(pair);
	write_all(pair[1], data, bytes);
	while (queued < (int)bytes)
		check(ioctl(pair[0], FIONREAD, &queued), "FIONREAD");
	*peer = pair[1];
	return add_flow(engine, &(struct flow_config){ .fd = pair[0], .role = FLOW_RECEIVER });
}

static struct engine *open_with(void **state, const struct copy_variant *variant)
{
	return open_or_skip(state, &(struct engine_options){ .copy = variant,
							     .slot_bytes = TURN_SLOT_BYTES,
							     .workers = 1 });
}

/* Opens an engine whose only worker is held until release_worker(). */
static struct engine *open_held(void **state, int *peer)
{
	static const struct copy_variant variant = { .name = "turns", .memcpy = turn_memcpy };
	struct engine *engine = open_with(state, &variant);

	if (strcmp(engine_name_of(engine), "threads") == 0) {
		engine_close(engine);
		print_message("# threads: each flow has a worker of its own\n");
		skip();
	}
	memset(&turns, 0, sizeof(turns));
	sem_init(&turns.held, 0, 0);
	sem_init(&turns.release, 0, 0);
	flow_with_bytes(engine, 'z', 1, peer);
	sem_wait(&turns.held);
	return engine;
}

/* Two flows with more bytes than there are slots: neither keeps the slots for itself. */
static void busy_flows_take_turns(void **state)
{
	int peers[3];
	struct engine *engine = open_held(state, &peers[0]);

	flow_with_bytes(engine, 'a', TURN_BYTES, &peers[1]);
	flow_with_bytes(engine, 'b', TURN_BYTES, &peers[2]);
	for (int i = 0; i < 3; i++)
		close(peers[i]);
	sem_post(&turns.release);
	for (int i = 0; i < 3; i++)
		flow_destroy(wait_ended(engine));
	engine_close(engine);
	if (turns.longest > TURN_COPIES_MAX)
		fail_msg("%u copies in a row for one flow", turns.longest);
}

/* Stopped before the worker even began with it, with many more bytes than one turn takes. */
static void stop_takes_all_that_lies_in_the_socket(void **state)
{
	int peers[2];
	struct engine *engine = open_held(state, &peers[0]);
	struct flow *flow = flow_with_bytes(engine, 'a', TURN_BYTES, &peers[1]);

	engine_stop(engine, flow);
	sem_post(&turns.release);
	assert_ptr_equal(wait_ended(engine), flow);
	assert_int_equal(totals_of(flow).bytes, TURN_BYTES);
	flow_destroy(flow);
	close(peers[0]);
	close(peers[1]);
	engine_close(engine);
}

/* -- a socket that does not become empty --------------------------------------------------- */

static void *slow_memcpy(void *destination, const void *source, size_t bytes)
{
	usleep(20000);
	return memcpy(destination, source, bytes);
}

/* All that lies there would take more than two seconds. */
static void stop_is_bounded_in_time(void **state)
{
	static const struct copy_variant slow = { .name = "slow", .memcpy = slow_memcpy };
	struct engine *engine = open_with(state, &slow);
	int peer;
	struct flow *flow = flow_with_bytes(engine, 'a', TURN_BYTES, &peer);
	uint64_t start_ns = clock_now_ns();

	engine_stop(engine, flow);
	assert_ptr_equal(wait_ended(engine), flow);
	assert_true(clock_now_ns() - start_ns >= ENGINE_STOP_LIMIT_NS);
	assert_in_range(totals_of(flow).bytes, 1, TURN_BYTES - 1);
	flow_destroy(flow);
	close(peer);
	engine_close(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_flows_take_turns),
		cmocka_unit_test(stop_takes_all_that_lies_in_the_socket),
		cmocka_unit_test(stop_is_bounded_in_time),
	};

	return run_for_engines("busy engine", tests, sizeof(tests) / sizeof(tests[0]));
}
