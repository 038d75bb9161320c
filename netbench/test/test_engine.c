/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Engines over loopback: every byte is counted once, flows end when they are stopped, when the peer
 * goes, and when the engine closes, and leave nothing behind.
 */
#define _GNU_SOURCE
#include "netbench/test/engine_test.h"

#include <pthread.h>

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

/* Writes bytes 0, 1, 2 ... through all blocks, so that the peer can tell what comes next. */
static _Atomic unsigned char next_byte;

static void *counting_memcpy(void *destination, const void *source, size_t bytes)
{
	unsigned char *byte = destination;

	(void)source;
	for (size_t i = 0; i < bytes; i++)
		byte[i] = next_byte++;
	return destination;
}

/* With a small socket buffer, in which no block has room as a whole. */
static void blocks_arrive_whole_and_in_order(void **state)
{
	static const struct copy_variant counting = { .name = "counting",
						      .memcpy = counting_memcpy };
	struct engine *engine = open_or_skip(state, &(struct engine_options){ .copy = &counting });
	unsigned char data[5000], expected = 0;
	int pair[2], buffer_bytes = 8192;
	struct flow *flow;

	atomic_store(&next_byte, 0);
	tcp_pair(pair);
	check(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &buffer_bytes, sizeof(buffer_bytes)),
	      "SO_SNDBUF");
	flow = tcp_flow(engine, pair[0], FLOW_SENDER);
	for (size_t got = 0; got < 1000000; got += sizeof(data)) {
		assert_int_equal(read_up_to(pair[1], data, sizeof(data)), sizeof(data));
		for (size_t i = 0; i < sizeof(data); i++)
			if (data[i] != expected++)
				fail_msg("byte %zu is %02x", got + i, data[i]);
	}
	engine_stop(engine, flow);
	assert_ptr_equal(wait_ended(engine), flow);
	flow_destroy(flow);
	close(pair[1]);
	engine_close(engine);
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
		cmocka_unit_test(sender_counts_what_the_peer_gets),
		cmocka_unit_test(blocks_arrive_whole_and_in_order),
		cmocka_unit_test(reset_by_the_peer_is_an_error),
		cmocka_unit_test(blocked_flows_stop_at_once),
		cmocka_unit_test(many_flows_are_kept_apart),
		cmocka_unit_test(close_ends_all_and_leaves_nothing),
		cmocka_unit_test(bad_blocks_are_refused),
	};

	return run_for_engines("engine", tests, sizeof(tests) / sizeof(tests[0]));
}
