/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Engines over loopback: every byte is counted once, flows end when they are stopped, when the peer
 * goes, and when the engine closes, and leave nothing behind.
 */
#define _GNU_SOURCE
#include "netbench/test/engine_test.h"

#include <pthread.h>
#include <stdatomic.h>

#include "copylib/copylib.h"
#include "netbench/iperf3/wire.h"

#define SLOT_BYTES  ((size_t)32 << 10)
#define SMALL_BYTES 10000

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

static struct engine *setup(void **state)
{
	atomic_store(&misplaced, 0);
	return open_or_skip(state, &options);
}

static void teardown(struct engine *engine)
{
	engine_close(engine);
	assert_int_equal(misplaced, 0);
}

static struct flow *tcp_flow(struct engine *engine, int fd, enum flow_role role)
{
	return add_flow(engine,
			&(struct flow_config){ .fd = fd, .role = role, .block_bytes = 50000 });
}

static struct flow *udp_flow(struct engine *engine, int fd, enum flow_role role)
{
	return add_flow(engine, &(struct flow_config){
					.fd = fd, .role = role, .udp = true, .block_bytes = 1400 });
}

/* -- TCP ----------------------------------------------------------------------------------- */

static void counts_every_byte_received(void **state)
{
	static const size_t sizes[] = {
		0, 1, SLOT_BYTES - 1, SLOT_BYTES, SLOT_BYTES + 1, SMALL_BYTES, 3000001
	};
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

/* -- rate, stop, many ---------------------------------------------------------------------- */

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
	flows[4] = udp_flow(engine, udp[0][0], FLOW_RECEIVER);
	flows[5] = udp_flow(engine, udp[1][0], FLOW_ECHO);
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

/* -- the table ----------------------------------------------------------------------------- */

static struct engine *open_threads(const struct engine_options *asked, char *why, size_t why_size)
{
	return engine_open("threads", asked, why, why_size);
}

static const struct test_engine engines[] = {
	{ "threads", open_threads },
};

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_every_byte_received),
		cmocka_unit_test(stop_takes_what_lies_in_the_socket),
		cmocka_unit_test(stop_is_bounded_while_bytes_keep_coming),
		cmocka_unit_test(sender_counts_what_the_peer_gets),
		cmocka_unit_test(reset_by_the_peer_is_an_error),
		cmocka_unit_test(counts_every_datagram_received),
		cmocka_unit_test(datagrams_are_sent_in_order),
		cmocka_unit_test(refused_datagrams_end_nothing),
		cmocka_unit_test(rate_is_kept),
		cmocka_unit_test(blocked_flows_stop_at_once),
		cmocka_unit_test(many_flows_are_kept_apart),
		cmocka_unit_test(close_ends_all_and_leaves_nothing),
		cmocka_unit_test(bad_blocks_are_refused),
	};

	return run_for_engines("engine", engines, sizeof(engines) / sizeof(engines[0]), tests,
			       sizeof(tests) / sizeof(tests[0]));
}
