/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a flow makes of datagrams: loss and order by the protocol's rule, jitter, headers. */
#include "netbench/test/flow_test.h"

/* -- the protocol's rules ------------------------------------------------------------------ */

static void receive(struct flow *flow, struct flow_buffer *buffer, uint64_t sequence,
		    bool counters_64bit, uint64_t sent_ns, size_t bytes)
{
	unsigned char datagram[64] = { 0 };
	struct wire_datagram header = { .seconds = (uint32_t)(sent_ns / NS_PER_S),
					.microseconds = (uint32_t)(sent_ns % NS_PER_S / NS_PER_US),
					.sequence = sequence };

	wire_put_datagram(datagram, &header, counters_64bit);
	flow_received(flow, buffer, datagram, bytes);
}

static void losses_are_counted_by_the_rule(void **state)
{
	static const struct {
		uint64_t sequence, highest, lost, out_of_order;
	} steps[] = {
		{ 1, 1, 0, 0 }, { 2, 2, 0, 0 }, { 5, 5, 2, 0 }, /* 3 and 4 are missing */
		{ 3, 5, 1, 1 },					/* 3 was only late */
		{ 3, 5, 0, 2 }, /* a duplicate cannot be told from a late one */
		{ 3, 5, 0, 3 }, /* but losses do not fall below zero */
		{ 0, 5, 0, 4 }, { 6, 6, 0, 4 }, { 4294967295, 4294967295, 4294967288, 4 },
	};
	struct flow_buffer *buffer = create_buffer(4096, 0, 0);
	struct flow *flow = create_flow(FLOW_RECEIVER, true, false, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct flow_totals totals;

		receive(flow, buffer, steps[i].sequence, false, 0, 40);
		totals = totals_of(flow);
		if (totals.highest_sequence != steps[i].highest || totals.lost != steps[i].lost ||
		    totals.out_of_order != steps[i].out_of_order)
			fail_msg("step %zu: highest %llu, lost %llu, out of order %llu", i,
				 (unsigned long long)totals.highest_sequence,
				 (unsigned long long)totals.lost,
				 (unsigned long long)totals.out_of_order);
		assert_int_equal(totals.blocks, i + 1);
		assert_int_equal(totals.bytes, 40 * (i + 1));
	}
	flow_destroy(flow);
	flow_buffer_destroy(buffer);
}

static void counters_of_64_bits(void **state)
{
	struct flow_buffer *buffer = create_buffer(4096, 0, 0);
	struct flow *flow = create_flow(FLOW_RECEIVER, true, true, 0);

	(void)state;
	receive(flow, buffer, UINT64_C(0x100000000), true, 0, 40);
	assert_int_equal(totals_of(flow).highest_sequence, UINT64_C(0x100000000));
	assert_int_equal(totals_of(flow).lost, UINT64_C(0xffffffff));
	receive(flow, buffer, UINT64_C(0x100000001), true, 0, 40);
	assert_int_equal(totals_of(flow).highest_sequence, UINT64_C(0x100000001));
	assert_int_equal(totals_of(flow).lost, UINT64_C(0xffffffff));
	flow_destroy(flow);
	flow_buffer_destroy(buffer);
}

static void short_datagrams_are_ignored(void **state)
{
	struct flow_buffer *buffer = create_buffer(4096, 0, 0);

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		struct flow *flow = create_flow(FLOW_RECEIVER, true, wide, 0);
		size_t header_bytes = wide ? 16 : 12;

		for (size_t bytes = 0; bytes < header_bytes; bytes++)
			receive(flow, buffer, 7, wide, 0, bytes);
		assert_int_equal(totals_of(flow).bytes, 0);
		assert_int_equal(totals_of(flow).blocks, 0);
		assert_int_equal(totals_of(flow).lost, 0);
		assert_int_equal(copy_count, wide);
		receive(flow, buffer, 7, wide, 0, header_bytes);
		assert_int_equal(totals_of(flow).bytes, header_bytes);
		assert_int_equal(totals_of(flow).lost, 6);
		flow_destroy(flow);
	}
	flow_buffer_destroy(buffer);
}

static void jitter_is_that_of_rfc_1889(void **state)
{
	/* Transit times of 5, 5, 21 and 5 ms: differences of 0, 16 and 16 ms, each worth a 16th. */
	static const struct {
		uint64_t sent_ms, transit_ms;
		double jitter_ms;
	} steps[] = { { 0, 5, 0 }, { 10, 5, 0 }, { 20, 21, 1 }, { 60, 5, 1.9375 } };
	struct flow_buffer *buffer = create_buffer(4096, 0, 0);
	struct flow *flow = create_flow(FLOW_RECEIVER, true, false, 0);
	uint64_t start_ns = now_ns;

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		/* The sender's clock shows another time; that must not matter. */
		uint64_t sent_ns = steps[i].sent_ms * NS_PER_MS + 500 * NS_PER_S;
		double jitter_ms;

		now_ns = start_ns + (steps[i].sent_ms + steps[i].transit_ms) * NS_PER_MS;
		receive(flow, buffer, i + 1, false, sent_ns, 40);
		jitter_ms = totals_of(flow).jitter_s * 1000;
		if (jitter_ms < steps[i].jitter_ms - 1e-9 || jitter_ms > steps[i].jitter_ms + 1e-9)
			fail_msg("step %zu: jitter %.6f ms, should be %.6f", i, jitter_ms,
				 steps[i].jitter_ms);
	}
	flow_destroy(flow);
	flow_buffer_destroy(buffer);
}

static void datagrams_carry_time_and_sequence(void **state)
{
	struct flow_buffer *buffer = create_buffer(4096, 5, 9);

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		struct flow *flow = create_flow(FLOW_SENDER, true, wide, 1000);
		unsigned char slot[1001];

		for (uint64_t n = 1; n <= 3; n++) {
			struct wire_datagram header;
			size_t header_bytes = wire_datagram_header_bytes(wide);

			memset(slot, 0, sizeof(slot));
			now_ns = 77 * NS_PER_S + n * 1234 * NS_PER_US;
			flow_fill(flow, buffer, slot);
			assert_true(wire_get_datagram(slot, 1000, wide, &header));
			assert_int_equal(header.sequence, n);
			assert_int_equal(header.seconds, 77);
			assert_int_equal(header.microseconds, n * 1234);
			assert_memory_equal(slot + header_bytes,
					    copies[(copy_count - 1) % 64].source + header_bytes,
					    1000 - header_bytes);
			assert_int_equal(slot[1000], 0);
			assert_int_equal(totals_of(flow).highest_sequence, n - 1);
			flow_sent(flow, 1000, true);
			assert_int_equal(totals_of(flow).highest_sequence, n);
			assert_int_equal(totals_of(flow).bytes, n * 1000);
		}
		flow_destroy(flow);
	}
	flow_buffer_destroy(buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_are_counted_by_the_rule),
		cmocka_unit_test(counters_of_64_bits),
		cmocka_unit_test(short_datagrams_are_ignored),
		cmocka_unit_test(jitter_is_that_of_rfc_1889),
		cmocka_unit_test(datagrams_carry_time_and_sequence),
	};

	return cmocka_run_group_tests_name("flow: datagrams", tests, NULL, NULL);
}
