/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Engines and datagrams: none is counted twice or lost within, they stay in order and at the rate.
 */
#define _GNU_SOURCE
#include "netbench/test/engine_test.h"

#include "netbench/iperf3/wire.h"

static struct flow *udp_flow(struct engine *engine, int fd, enum flow_role role)
{
	return add_flow(engine, &(struct flow_config){
					.fd = fd, .role = role, .udp = true, .block_bytes = 1400 });
}

/* -- UDP ----------------------------------------------------------------------------------- */

static void send_datagram(int fd, uint64_t sequence, size_t bytes)
{
	unsigned char datagram[FLOW_DATAGRAM_BYTES_MAX] = { 0 };
	struct wire_datagram header = { .sequence = sequence };

	wire_put_datagram(datagram, &header, false);
	write_all(fd, datagram, bytes);
	if (bytes == 0)
		check((int)send(fd, datagram, 0, 0), "send");
}

static void counts_every_datagram_received(void **state)
{
	struct engine *engine = setup(state);
	struct flow *flow;
	struct flow_totals totals;
	uint64_t bytes = 0, sequence = 0;
	int pair[2];

	udp_pair(pair);
	flow = udp_flow(engine, pair[0], FLOW_RECEIVER);
	for (int round = 0; round < 100; round++) {
		size_t length = round % 10 == 0 ? FLOW_DATAGRAM_BYTES_MAX : 12 + (size_t)round * 20;

		send_datagram(pair[1], ++sequence, length);
		bytes += length;
		send_datagram(pair[1], 0, 0);  /* ends a multishot receive; is not counted */
		send_datagram(pair[1], 0, 11); /* too short for a header; is not counted */
		wait_for_bytes(flow, round % 8 == 0 ? bytes : 0);
	}
	engine_stop(engine, flow);
	assert_ptr_equal(wait_ended(engine), flow);
	totals = totals_of(flow);
	assert_int_equal(totals.bytes, bytes);
	assert_int_equal(totals.blocks, 100);
	assert_int_equal(totals.highest_sequence, 100);
	assert_int_equal(totals.lost, 0);
	assert_int_equal(totals.out_of_order, 0);
	flow_destroy(flow);
	close(pair[1]);
	teardown(engine);
}

static void datagrams_are_sent_in_order(void **state)
{
	struct engine *engine = setup(state);
	struct flow *flow;
	uint64_t got = 0;
	int pair[2];

	udp_pair(pair);
	flow = udp_flow(engine, pair[0], FLOW_SENDER);
	for (uint64_t last = 0; got < 5000; got++) {
		unsigned char datagram[2000];
		struct wire_datagram header;

		assert_int_equal(recv(pair[1], datagram, sizeof(datagram), 0), 1400);
		wire_get_datagram(datagram, 1400, false, &header);
		if (header.sequence <= last)
			fail_msg("datagram %u after %llu", (unsigned int)header.sequence,
				 (unsigned long long)last);
		last = header.sequence;
	}
	engine_stop(engine, flow);
	assert_ptr_equal(wait_ended(engine), flow);
	assert_int_equal(flow_error(flow), 0);
	assert_true(totals_of(flow).blocks >= got);
	assert_int_equal(totals_of(flow).bytes, totals_of(flow).blocks * 1400);
	assert_int_equal(totals_of(flow).highest_sequence, totals_of(flow).blocks);
	flow_destroy(flow);
	close(pair[1]);
	teardown(engine);
}

/*
 * Loopback drops what finds no room, so a sender never waits there. On a pair of local sockets it
 * does, and none is dropped: then a single one out of order shows.
 */
static void senders_that_wait_stay_in_order(void **state)
{
	struct engine *engine = setup(state);
	struct flow *flow;
	int pair[2];

	check(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), "socketpair");
	flow = udp_flow(engine, pair[0], FLOW_SENDER);
	for (uint64_t expected = 1; expected <= 3000; expected++) {
		unsigned char datagram[2000];
		struct wire_datagram header;

		if (expected % 100 == 0)
			usleep(1000); /* until there is no room */
		assert_int_equal(recv(pair[1], datagram, sizeof(datagram), 0), 1400);
		wire_get_datagram(datagram, 1400, false, &header);
		if (header.sequence != expected)
			fail_msg("datagram %u in place of %u", (unsigned int)header.sequence,
				 (unsigned int)expected);
	}
	usleep(20000);
	engine_stop(engine, flow);
	assert_ptr_equal(wait_ended(engine), flow);
	assert_int_equal(flow_error(flow), 0);
	/* It was waiting for room; what it then did not send any more was not sent. */
	assert_int_equal(totals_of(flow).highest_sequence, totals_of(flow).blocks);
	flow_destroy(flow);
	close(pair[1]);
	teardown(engine);
}

/* A peer that is gone answers with ICMP: counted, and never the end. */
static void refused_datagrams_end_nothing(void **state)
{
	struct engine *engine = setup(state);
	static const enum flow_role roles[] = { FLOW_SENDER, FLOW_RECEIVER };

	for (size_t i = 0; i < 2; i++) {
		struct flow *flow;
		int pair[2];

		udp_pair(pair);
		close(pair[1]);
		if (roles[i] == FLOW_RECEIVER)
			check((int)send(pair[0], "", 1, 0), "send");
		flow = udp_flow(engine, pair[0], roles[i]);
		for (int wait = 0; wait < 1000 && totals_of(flow).errors == 0; wait++)
			usleep(1000);
		assert_true(totals_of(flow).errors > 0);
		assert_null(engine_next_ended(engine));
		engine_stop(engine, flow);
		assert_ptr_equal(wait_ended(engine), flow);
		assert_int_equal(flow_error(flow), 0);
		flow_destroy(flow);
	}
	teardown(engine);
}

/* Senders that never wait keep a worker busy all the time; commands must still come through. */
static void commands_come_through_to_busy_workers(void **state)
{
	enum { SENDERS = 40 };
	struct engine *engine = open_or_skip(state, &(struct engine_options){ .workers = 1 });
	struct flow *flows[SENDERS];
	int peers[SENDERS];

	for (int i = 0; i < SENDERS; i++) {
		int pair[2];

		udp_pair(pair);
		peers[i] = pair[1];
		flows[i] = udp_flow(engine, pair[0], FLOW_SENDER);
	}
	for (int i = 0; i < SENDERS; i++)
		wait_for_bytes(flows[i], 100000);
	for (int i = 0; i < SENDERS; i++)
		engine_stop(engine, flows[i]);
	for (int i = 0; i < SENDERS; i++) {
		flow_destroy(wait_ended(engine));
		close(peers[i]);
	}
	engine_close(engine);
}

static void rate_is_kept(void **state)
{
	struct engine *engine = setup(state);
	struct flow_config config = { .role = FLOW_SENDER,
				      .udp = true,
				      .block_bytes = 1000,
				      .rate_bits_per_s = 8000000,
				      .burst_blocks = 5 };
	struct flow *flow;
	uint64_t start_ns, scheduled;
	int pair[2];

	udp_pair(pair);
	config.fd = pair[0];
	start_ns = clock_now_ns();
	flow = add_flow(engine, &config);
	usleep(300000);
	engine_stop(engine, flow);
	assert_ptr_equal(wait_ended(engine), flow);
	/* A block a millisecond, and the burst that comes first; late is possible, early is not. */
	scheduled = (clock_now_ns() - start_ns) / NS_PER_MS + 5;
	assert_in_range(totals_of(flow).blocks, 150, scheduled);
	flow_destroy(flow);
	close(pair[1]);
	teardown(engine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_every_datagram_received),
		cmocka_unit_test(datagrams_are_sent_in_order),
		cmocka_unit_test(senders_that_wait_stay_in_order),
		cmocka_unit_test(refused_datagrams_end_nothing),
		cmocka_unit_test(commands_come_through_to_busy_workers),
		cmocka_unit_test(rate_is_kept),
	};

	return run_for_engines("engine with datagrams", tests, sizeof(tests) / sizeof(tests[0]));
}
