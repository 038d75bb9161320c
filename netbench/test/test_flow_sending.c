/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* When a flow sends and how much, whom it answers, and which errors it survives. */
#include "netbench/test/flow_test.h"

#include <arpa/inet.h>
#include <sys/socket.h>

/* -- schedule, echo, errors ---------------------------------------------------------------- */

static void blocks_are_due_at_the_rate(void **state)
{
	/* 1000 bytes at 8 Mbit/s: one a millisecond; in bursts of five: five every five. */
	static const uint64_t single_ms[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const uint64_t burst_ms[] = { 0, 0, 0, 0, 0, 5, 5, 5, 5, 5, 10 };
	struct flow_buffer *buffer = create_buffer(4096, 0, 0);
	unsigned char slot[1000];

	(void)state;
	for (uint32_t burst = 0; burst <= 5; burst += 5) {
		struct flow *flow = flow_create(&(struct flow_config){ .fd = -1,
								       .role = FLOW_SENDER,
								       .block_bytes = 1000,
								       .rate_bits_per_s = 8000000,
								       .burst_blocks = burst });
		uint64_t start_ns = now_ns;

		assert_int_equal(flow_due_ns(flow), 0);
		for (size_t n = 1; n <= 10; n++) {
			const uint64_t *due_ms = burst ? burst_ms : single_ms;

			flow_fill(flow, buffer, slot);
			now_ns += 12345; /* being late changes nothing */
			if (flow_due_ns(flow) != start_ns + due_ms[n] * NS_PER_MS)
				fail_msg("burst %u: block %zu is due after %llu ns", burst, n,
					 (unsigned long long)(flow_due_ns(flow) - start_ns));
		}
		flow_destroy(flow);
	}
	flow_buffer_destroy(buffer);
}

static void the_slowest_rate_does_not_overflow(void **state)
{
	struct flow_buffer *buffer = create_buffer(4096, 0, 0);
	struct flow *flow = flow_create(&(struct flow_config){ .fd = -1,
							       .role = FLOW_SENDER,
							       .block_bytes = FLOW_BLOCK_BYTES_MAX,
							       .rate_bits_per_s = 1 });
	unsigned char *slot = malloc(FLOW_BLOCK_BYTES_MAX);
	uint64_t start_ns = now_ns;

	(void)state;
	assert_non_null(slot);
	flow_fill(flow, buffer, slot);
	assert_int_equal(flow_due_ns(flow), start_ns + FLOW_BLOCK_BYTES_MAX * 8 * NS_PER_S);
	for (int n = 0; n < 3000; n++)
		flow_fill(flow, buffer, slot);
	assert_int_equal(flow_due_ns(flow), INT64_MAX);
	free(slot);
	flow_destroy(flow);
	flow_buffer_destroy(buffer);
}

static void only_large_blocks_without_a_rate_are_sent_together(void **state)
{
	static const struct {
		size_t block_bytes;
		uint64_t rate_bits_per_s;
		bool udp;
		unsigned int blocks;
	} cases[] = {
		{ 4096, 0, false, 1 },	 { 131071, 0, false, 1 }, { 131072, 0, false, 4 },
		{ 131073, 0, false, 3 }, { 262144, 0, false, 2 }, { 1 << 20, 0, false, 1 },
		{ 131072, 1, false, 1 }, { 65507, 0, true, 1 },
	};

	static unsigned char slot[FLOW_BLOCK_BYTES_MAX];
	struct flow_buffer *buffer = create_buffer(4096, 0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct flow *flow = flow_create(
			&(struct flow_config){ .fd = -1,
					       .role = FLOW_SENDER,
					       .udp = cases[i].udp,
					       .block_bytes = cases[i].block_bytes,
					       .rate_bits_per_s = cases[i].rate_bits_per_s });
		struct flow_totals totals;

		assert_int_equal(flow_send_bytes(flow), cases[i].blocks * cases[i].block_bytes);
		assert_int_equal(flow_fill(flow, buffer, slot), flow_send_bytes(flow));
		flow_sent(flow, flow_send_bytes(flow), true);
		flow_read_totals(flow, &totals);
		assert_int_equal(totals.blocks, cases[i].blocks);
		flow_destroy(flow);
	}
	flow_buffer_destroy(buffer);
}

static void no_rate_is_due_at_once(void **state)
{
	struct flow_buffer *buffer = create_buffer(4096, 0, 0);
	struct flow *flow = create_flow(FLOW_SENDER, false, false, 1000);
	unsigned char slot[1000];

	(void)state;
	for (int n = 0; n < 10; n++) {
		assert_int_equal(flow_due_ns(flow), 0);
		flow_fill(flow, buffer, slot);
	}
	flow_destroy(flow);
	flow_buffer_destroy(buffer);
}

static void echo_does_not_answer_everybody(void **state)
{
	struct sockaddr_in own = { .sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(own);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct flow *flow;
	uint16_t port;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&own, sizeof(own)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &length), 0);
	port = ntohs(own.sin_port);
	flow = flow_create(&(struct flow_config){ .fd = fd, .role = FLOW_ECHO, .udp = true });
	for (unsigned int from_port = 0; from_port <= UINT16_MAX; from_port++) {
		struct sockaddr_in from = { .sin_family = AF_INET,
					    .sin_port = htons((uint16_t)from_port) };
		struct sockaddr_in6 from6 = { .sin6_family = AF_INET6,
					      .sin6_port = htons((uint16_t)from_port) };
		bool expected = from_port >= 1024 && from_port != port;

		if (flow_echo_answers(flow, (struct sockaddr *)&from) != expected ||
		    flow_echo_answers(flow, (struct sockaddr *)&from6) != expected)
			fail_msg("port %u, own port %u", from_port, port);
	}
	flow_destroy(flow);
}

static void only_network_errors_over_udp_go_on(void **state)
{
	struct flow *tcp = create_flow(FLOW_SENDER, false, false, 1000);
	struct flow *udp = create_flow(FLOW_SENDER, true, false, 1000);

	(void)state;
	assert_false(flow_goes_on(tcp, ECONNREFUSED));
	assert_int_equal(flow_error(tcp), ECONNREFUSED);
	assert_true(flow_goes_on(udp, ECONNREFUSED));
	assert_int_equal(flow_due_ns(udp), 0);
	assert_true(flow_goes_on(udp, ENETUNREACH));
	assert_int_equal(flow_due_ns(udp), now_ns + NS_PER_MS);
	assert_int_equal(totals_of(udp).errors, 2);
	assert_int_equal(flow_error(udp), 0);
	assert_false(flow_goes_on(udp, EBADF));
	assert_int_equal(flow_error(udp), EBADF);
	flow_destroy(tcp);
	flow_destroy(udp);
}

/* -- a limit of blocks --------------------------------------------------------------------- */

static void flows_share_a_limit_to_the_block(void **state)
{
	static const struct {
		uint64_t limit;
		size_t block_bytes;
		size_t first_bytes; /* of the first slot */
	} cases[] = {
		{ 1, 131072, 131072 },	      { 3, 131072, 3 * 131072 }, { 4, 131072, 4 * 131072 },
		{ 1003, 131072, 4 * 131072 }, { 1, 1000, 1000 },	 { 777, 1000, 1000 },
	};
	static unsigned char slot[4 * 131072];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_Atomic uint64_t left = cases[i].limit;
		struct flow_buffer *buffer = create_buffer(4096, 0, 0);
		struct flow *flows[2];
		uint64_t bytes = 0, blocks = 0;

		for (int n = 0; n < 2; n++)
			flows[n] = flow_create(
				&(struct flow_config){ .fd = -1,
						       .role = FLOW_SENDER,
						       .block_bytes = cases[i].block_bytes,
						       .blocks_left = &left });
		for (uint64_t n = 0; flow_due_ns(flows[n % 2]) == 0; n++) {
			size_t filled = flow_fill(flows[n % 2], buffer, slot);

			assert_true(filled > 0);
			assert_true(n > 0 || filled == cases[i].first_bytes);
			flow_sent(flows[n % 2], filled, true);
		}
		for (int n = 0; n < 2; n++) {
			bytes += totals_of(flows[n]).bytes;
			blocks += totals_of(flows[n]).blocks;
			assert_int_equal(flow_due_ns(flows[n]), INT64_MAX);
			assert_int_equal(flow_fill(flows[n], buffer, slot), 0);
			flow_destroy(flows[n]);
		}
		if (bytes != cases[i].limit * cases[i].block_bytes || blocks != cases[i].limit)
			fail_msg("limit %llu of %zu bytes: %llu blocks, %llu bytes",
				 (unsigned long long)cases[i].limit, cases[i].block_bytes,
				 (unsigned long long)blocks, (unsigned long long)bytes);
		flow_buffer_destroy(buffer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_due_at_the_rate),
		cmocka_unit_test(the_slowest_rate_does_not_overflow),
		cmocka_unit_test(only_large_blocks_without_a_rate_are_sent_together),
		cmocka_unit_test(no_rate_is_due_at_once),
		cmocka_unit_test(echo_does_not_answer_everybody),
		cmocka_unit_test(only_network_errors_over_udp_go_on),
		cmocka_unit_test(flows_share_a_limit_to_the_block),
	};

	return cmocka_run_group_tests_name("flow: sending", tests, NULL, NULL);
}
