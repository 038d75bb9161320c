/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Engines over loopback: every byte is counted once, flows end when they are stopped, when the peer
 * goes, and when the engine closes, and leave nothing behind.
 */
#define _GNU_SOURCE
#include "netbench/test/engine_test.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/ioctl.h>

static struct flow *tcp_flow(struct engine *engine, int fd, enum flow_role role)
{
	return add_flow(engine,
			&(struct flow_config){ .fd = fd, .role = role, .block_bytes = 50000 });
}

/* -- TCP ----------------------------------------------------------------------------------- */

static void counts_every_byte_received(void **state)
{
	static const size_t sizes[] = { 0,     1,      SLOT_BYTES - 1, SLOT_BYTES, SLOT_BYTES + 1,
					10000, 3000001 };
	struct engine *engine = setup(state);
	unsigned char *data = calloc(1, 3000001);

	assert_non_null(data);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct flow *flow;
		int pair[2];

		tcp_pair(pair);
		flow = tcp_flow(engine, pair[0], FLOW_RECEIVER);
		write_all(pair[1], data, sizes[i]);
		close(pair[1]);
		assert_ptr_equal(wait_ended(engine), flow);
		assert_int_equal(flow_error(flow), 0);
		assert_int_equal(totals_of(flow).bytes, sizes[i]);
		assert_int_equal(totals_of(flow).copied_bytes, sizes[i]);
		flow_destroy(flow);
	}
	free(data);
	teardown(engine);
}

/* What was sent before the stop counts, and the connection stays as it was. */
static void stop_takes_what_lies_in_the_socket(void **state)
{
	struct engine *engine = setup(state);
	unsigned char *data = calloc(1, 200000);

	for (int round = 0; round < 20; round++) {
		struct flow *flow;
		char byte;
		int pair[2];

		tcp_pair(pair);
		flow = tcp_flow(engine, pair[0], FLOW_RECEIVER);
		write_all(pair[1], data, 200000);
		engine_stop(engine, flow);
		engine_stop(engine, flow);
		assert_ptr_equal(wait_ended(engine), flow);
		assert_int_equal(totals_of(flow).bytes, 200000);
		assert_int_equal(recv(flow_fd(flow), &byte, 1, 0), -1);
		assert_int_equal(errno, EAGAIN);
		close(pair[1]);
		assert_int_equal(read_up_to(flow_fd(flow), &byte, 1), 0);
		flow_destroy(flow);
	}
	free(data);
	teardown(engine);
}

static void *keep_sending(void *fd)
{
	static const unsigned char data[50000];

	while (send(*(int *)fd, data, sizeof(data), MSG_NOSIGNAL) > 0)
		;
	return NULL;
}

static void stop_is_bounded_while_bytes_keep_coming(void **state)
{
	struct engine *engine = setup(state);
	struct flow *flow;
	pthread_t sender;
	uint64_t start_ns;
	int pair[2];

	tcp_pair(pair);
	flow = tcp_flow(engine, pair[0], FLOW_RECEIVER);
	assert_int_equal(pthread_create(&sender, NULL, keep_sending, &pair[1]), 0);
	wait_for_bytes(flow, 1000000);
	start_ns = clock_now_ns();
	engine_stop(engine, flow);
	assert_ptr_equal(wait_ended(engine), flow);
	assert_in_range(clock_now_ns() - start_ns, 0, 3 * NS_PER_S);
	flow_destroy(flow);
	pthread_join(sender, NULL);
	close(pair[1]);
	teardown(engine);
}

/* What the flow counts as sent is what the peer gets, whole blocks or not. */
static void sender_counts_what_the_peer_gets(void **state)
{
	struct engine *engine = setup(state);
	unsigned char *data = malloc(100000);

	for (int round = 0; round < 10; round++) {
		struct flow *flow;
		size_t got, last;
		int pair[2];

		tcp_pair(pair);
		flow = tcp_flow(engine, pair[0], FLOW_SENDER);
		got = read_up_to(pair[1], data, 100000);
		if (round % 2)
			usleep(20000); /* until its socket is full */
		engine_stop(engine, flow);
		assert_ptr_equal(wait_ended(engine), flow);
		shutdown(flow_fd(flow), SHUT_WR);
		while ((last = read_up_to(pair[1], data, 100000)) > 0)
			got += last;
		assert_int_equal(flow_error(flow), 0);
		assert_int_equal(totals_of(flow).bytes, got);
		assert_in_range(totals_of(flow).blocks, got / 50000, got / 50000);
		flow_destroy(flow);
		close(pair[1]);
	}
	free(data);
	teardown(engine);
}

static void reset_by_the_peer_is_an_error(void **state)
{
	struct engine *engine = setup(state);
	static const enum flow_role roles[] = { FLOW_RECEIVER, FLOW_SENDER, FLOW_ECHO };

	for (size_t i = 0; i < 3; i++) {
		struct linger reset = { .l_onoff = 1 };
		struct flow *flow;
		int pair[2];

		tcp_pair(pair);
		flow = tcp_flow(engine, pair[0], roles[i]);
		usleep(10000);
		setsockopt(pair[1], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(pair[1]);
		assert_ptr_equal(wait_ended(engine), flow);
		if (flow_error(flow) != ECONNRESET && flow_error(flow) != EPIPE)
			fail_msg("role %d: error %d", (int)roles[i], flow_error(flow));
		flow_destroy(flow);
	}
	teardown(engine);
}

/* -- stop, many --------------------------------------------------------------------------- */

static void blocked_flows_stop_at_once(void **state)
{
	struct engine *engine = setup(state);
	struct flow *flows[6];
	uint64_t start_ns;
	int tcp[4][2], udp[2][2];

	for (int i = 0; i < 4; i++)
		tcp_pair(tcp[i]);
	for (int i = 0; i < 2; i++)
		udp_pair(udp[i]);
	flows[0] = tcp_flow(engine, tcp[0][0], FLOW_RECEIVER);
	flows[1] = tcp_flow(engine, tcp[1][0], FLOW_SENDER);
	flows[2] = tcp_flow(engine, tcp[2][0], FLOW_ECHO);
	flows[3] = add_flow(engine, &(struct flow_config){ .fd = tcp[3][0],
							   .role = FLOW_SENDER,
							   .block_bytes = 1000,
							   .rate_bits_per_s = 1 });
	flows[4] = add_flow(engine, &(struct flow_config){
					    .fd = udp[0][0], .role = FLOW_RECEIVER, .udp = true });
	flows[5] = add_flow(
		engine, &(struct flow_config){ .fd = udp[1][0], .role = FLOW_ECHO, .udp = true });
	usleep(50000);
	start_ns = clock_now_ns();
	for (int i = 0; i < 6; i++)
		engine_stop(engine, flows[i]);
	for (int i = 0; i < 6; i++)
		flow_destroy(wait_ended(engine));
	assert_in_range(clock_now_ns() - start_ns, 0, NS_PER_S / 2);
	for (int i = 0; i < 4; i++)
		close(tcp[i][1]);
	for (int i = 0; i < 2; i++)
		close(udp[i][1]);
	teardown(engine);
}

#define MANY 100

/* More flows than there are slots, all at once. */
static void many_flows_are_kept_apart(void **state)
{
	struct engine *engine = setup(state);
	static unsigned char data[300000];
	int peers[MANY];

	for (size_t i = 0; i < MANY; i++) {
		int pair[2];

		tcp_pair(pair);
		peers[i] = pair[1];
		add_flow(engine, &(struct flow_config){ .fd = pair[0],
							.role = FLOW_RECEIVER,
							.owner = &peers[i] });
	}
	for (size_t part = 0; part < 3; part++)
		for (size_t i = 0; i < MANY; i++)
			write_all(peers[i], data, 30000 + i * 100);
	for (size_t i = 0; i < MANY; i++)
		close(peers[i]);
	for (size_t n = 0; n < MANY; n++) {
		struct flow *flow = wait_ended(engine);
		size_t i = (size_t)((int *)flow_owner(flow) - peers);

		if (totals_of(flow).bytes != 3 * (30000 + i * 100))
			fail_msg("flow %zu counted %llu bytes", i,
				 (unsigned long long)totals_of(flow).bytes);
		flow_destroy(flow);
	}
	assert_null(engine_next_ended(engine));
	teardown(engine);
}

/* -- taking turns -------------------------------------------------------------------------- */

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
	return tcp_flow(engine, pair[0], FLOW_RECEIVER);
}

/* Two flows with more bytes than there are slots: neither keeps the slots for itself. */
static void busy_flows_take_turns(void **state)
{
	static const struct copy_variant variant = { .name = "turns", .memcpy = turn_memcpy };
	struct engine *engine = open_or_skip(
		state, &(struct engine_options){
			       .copy = &variant, .slot_bytes = TURN_SLOT_BYTES, .workers = 1 });
	int peers[3];

	if (strcmp(engine_name_of(engine), "threads") == 0) {
		engine_close(engine);
		print_message("# threads: the scheduler's to see to\n");
		skip();
	}
	memset(&turns, 0, sizeof(turns));
	sem_init(&turns.held, 0, 0);
	sem_init(&turns.release, 0, 0);
	flow_with_bytes(engine, 'z', 1, &peers[0]);
	sem_wait(&turns.held);
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

/* -- the end of all ------------------------------------------------------------------------ */

static void close_ends_all_and_leaves_nothing(void **state)
{
	unsigned int before = count_descriptors();
	struct engine *engine = setup(state);
	int peers[30];

	for (int i = 0; i < 30; i++) {
		int pair[2];

		tcp_pair(pair);
		peers[i] = pair[1];
		tcp_flow(engine, pair[0], (enum flow_role)(i % 3));
	}
	usleep(20000);
	teardown(engine);
	for (int i = 0; i < 30; i++)
		close(peers[i]);
	assert_int_equal(count_descriptors(), before);
}

static void bad_blocks_are_refused(void **state)
{
	struct engine *engine = setup(state);
	static const struct flow_config bad[] = {
		{ .role = FLOW_SENDER, .block_bytes = 0 },
		{ .role = FLOW_SENDER, .block_bytes = FLOW_BLOCK_BYTES_MAX + 1 },
		{ .role = FLOW_SENDER, .udp = true, .block_bytes = 15 },
		{ .role = FLOW_SENDER, .udp = true, .block_bytes = FLOW_DATAGRAM_BYTES_MAX + 1 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct flow_config config = bad[i];
		struct flow *flow;
		int pair[2];

		tcp_pair(pair);
		config.fd = pair[0];
		flow = flow_create(&config);
		assert_int_equal(engine_add(engine, flow), -EINVAL);
		flow_destroy(flow);
		close(pair[1]);
	}
	teardown(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_every_byte_received),
		cmocka_unit_test(stop_takes_what_lies_in_the_socket),
		cmocka_unit_test(stop_is_bounded_while_bytes_keep_coming),
		cmocka_unit_test(sender_counts_what_the_peer_gets),
		cmocka_unit_test(reset_by_the_peer_is_an_error),
		cmocka_unit_test(blocked_flows_stop_at_once),
		cmocka_unit_test(many_flows_are_kept_apart),
		cmocka_unit_test(busy_flows_take_turns),
		cmocka_unit_test(close_ends_all_and_leaves_nothing),
		cmocka_unit_test(bad_blocks_are_refused),
	};

	return run_for_engines("engine", tests, sizeof(tests) / sizeof(tests[0]));
}
