/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A flow from bytes, without sockets: the protocol's loss rule, the schedule, where copies go.
 *
 * The program has a clock_gettime() of its own, so that times are exact.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "netbench/clock.h"
#include "netbench/flow.h"
#include "netbench/flow_buffer.h"
#include "netbench/iperf3/wire.h"

static uint64_t now_ns = 1000 * NS_PER_S;
static unsigned int clock_reads;

int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	clock_reads++;
	time->tv_sec = (time_t)(now_ns / NS_PER_S);
	time->tv_nsec = (long)(now_ns % NS_PER_S);
	return 0;
}

/* -- a copy routine that remembers --------------------------------------------------------- */

static struct {
	unsigned char *destination;
	const unsigned char *source;
	size_t bytes;
} copies[64];
static size_t copy_count;
static uint64_t copy_takes_ns;

static void *remembering_memcpy(void *destination, const void *source, size_t bytes)
{
	copies[copy_count % 64].destination = destination;
	copies[copy_count % 64].source = source;
	copies[copy_count++ % 64].bytes = bytes;
	now_ns += copy_takes_ns;
	return memcpy(destination, source, bytes);
}

static const struct copy_variant remembering = { .name = "remembering",
						 .memcpy = remembering_memcpy };

static struct flow_buffer *create_buffer(size_t ring_bytes, unsigned int source_align,
					 unsigned int destination_align)
{
	struct flow_buffer *buffer = flow_buffer_create(&(struct flow_buffer_options){
		.copy = &remembering,
		.ring_bytes = ring_bytes,
		.source_align = source_align,
		.destination_align = destination_align,
		.receives = true,
		.sends = true,
	});

	assert_non_null(buffer);
	copy_count = 0;
	copy_takes_ns = 0;
	return buffer;
}

static struct flow *create_flow(enum flow_role role, bool udp, bool counters_64bit,
				size_t block_bytes)
{
	struct flow *flow = flow_create(&(struct flow_config){
		.fd = -1,
		.role = role,
		.udp = udp,
		.udp_counters_64bit = counters_64bit,
		.block_bytes = block_bytes,
	});

	assert_non_null(flow);
	return flow;
}

static struct flow_totals totals_of(const struct flow *flow)
{
	struct flow_totals totals;

	flow_read_totals(flow, &totals);
	return totals;
}

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

/* -- where copies go ----------------------------------------------------------------------- */

static const struct {
	unsigned int source, destination;
} alignments[] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 2, 0 }, { 3, 42 }, { 8, 4 }, { 63, 63 } };

static const size_t ring_sizes[] = { 64, 100, 4096, 5000, 131072 };
static const size_t block_sizes[] = { 1, 63, 64, 65, 1448, 4096, 4097, 32768, 65507, 200000 };

/* Each block of the copy begins as asked, stays within the ring, and is where it belongs. */
static void check_copies(const char *what, const struct flow_ring *ring, bool receiving,
			 unsigned int source_align, unsigned int destination_align,
			 const unsigned char *slot, size_t bytes)
{
	size_t done = 0;

	for (size_t i = 0; i < copy_count; i++) {
		const unsigned char *in_ring =
			receiving ? copies[i % 64].destination : copies[i % 64].source;
		const unsigned char *in_slot =
			receiving ? copies[i % 64].source : copies[i % 64].destination;

		if (copy_count <= 64 && in_slot != slot + done)
			fail_msg("%s: copy %zu is not the slot's next piece", what, i);
		if ((uintptr_t)copies[i % 64].source % 64 != source_align ||
		    (uintptr_t)copies[i % 64].destination % 64 != destination_align)
			fail_msg("%s: %zu bytes, align %u,%u, ring %zu: copy %zu is at %p,%p", what,
				 bytes, source_align, destination_align, ring->bytes, i,
				 (const void *)copies[i % 64].source,
				 (void *)copies[i % 64].destination);
		if (in_ring < ring->memory + ring->align ||
		    in_ring + copies[i % 64].bytes > ring->memory + ring->align + ring->bytes)
			fail_msg("%s: copy %zu of %zu bytes leaves the ring", what, i, bytes);
		done += copies[i % 64].bytes;
	}
	if (copy_count <= 64 && done != bytes)
		fail_msg("%s: %zu of %zu bytes were copied", what, done, bytes);
}

static void every_copy_is_aligned_as_asked(void **state)
{
	unsigned char *memory = aligned_alloc(64, 1 << 20);

	(void)state;
	assert_non_null(memory);
	for (size_t a = 0; a < sizeof(alignments) / sizeof(alignments[0]); a++) {
		unsigned int source = alignments[a].source, destination = alignments[a].destination;

		for (size_t r = 0; r < sizeof(ring_sizes) / sizeof(ring_sizes[0]); r++) {
			struct flow_buffer *buffer =
				create_buffer(ring_sizes[r], source, destination);
			struct flow *receiver = create_flow(FLOW_RECEIVER, false, false, 0);

			for (size_t b = 0; b < 3 * sizeof(block_sizes) / sizeof(block_sizes[0]);
			     b++) {
				size_t bytes =
					block_sizes[b % (sizeof(block_sizes) / sizeof(size_t))];
				struct flow *sender = create_flow(FLOW_SENDER, false, false, bytes);

				copy_count = 0;
				flow_received(receiver, buffer, memory + source, bytes);
				check_copies("receiving", &buffer->received, true, source,
					     destination, memory + source, bytes);
				copy_count = 0;
				flow_fill(sender, buffer, memory + destination);
				check_copies("sending", &buffer->to_send, false, source,
					     destination, memory + destination,
					     flow_send_bytes(sender));
				flow_destroy(sender);
			}
			flow_destroy(receiver);
			flow_buffer_destroy(buffer);
		}
	}
	free(memory);
}

static void blocks_follow_each_other_round_the_ring(void **state)
{
	struct flow_buffer *buffer = create_buffer(4096, 0, 7);
	struct flow *flow = create_flow(FLOW_RECEIVER, false, false, 0);
	unsigned char slot[1500] = { 0 };
	/* 1500 takes 1536 of 4096 bytes: two fit, the third begins again. */
	static const size_t places[] = { 0, 1536, 0, 1536, 0 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		copy_count = 0;
		slot[0] = (unsigned char)(i + 1);
		flow_received(flow, buffer, slot, sizeof(slot));
		assert_int_equal(copies[0].destination - buffer->received.memory, places[i] + 7);
		assert_int_equal(copies[0].destination[0], i + 1);
	}
	flow_destroy(flow);
	flow_buffer_destroy(buffer);
}

static void nothing_is_copied_without_a_variant(void **state)
{
	struct flow_buffer *buffer = flow_buffer_create(
		&(struct flow_buffer_options){ .receives = true, .sends = true });
	struct flow *receiver = create_flow(FLOW_RECEIVER, false, false, 0);
	struct flow *sender = create_flow(FLOW_SENDER, true, false, 100);
	struct flow *echo = create_flow(FLOW_ECHO, false, false, 0);
	static unsigned char slot[100], pattern[65536];

	(void)state;
	assert_non_null(buffer);
	flow_pattern_fill(pattern, sizeof(pattern));
	assert_null(memchr(pattern, 0, sizeof(pattern)));
	memcpy(slot, pattern, sizeof(slot));
	flow_fill(sender, buffer, slot);
	assert_memory_equal(slot + 12, pattern + 12, 88);
	flow_received(receiver, buffer, slot, sizeof(slot));
	assert_int_equal(totals_of(receiver).bytes, 100);
	assert_int_equal(totals_of(receiver).copied_bytes, 0);
	flow_echo(echo, buffer, slot, pattern + 500, sizeof(slot));
	assert_memory_equal(slot, pattern + 500, sizeof(slot));
	flow_destroy(receiver);
	flow_destroy(sender);
	flow_destroy(echo);
	flow_buffer_destroy(buffer);
}

static const struct flow_totals nothing;

static uint64_t copy_ns_since(const struct flow *flow, const struct flow_totals *begin)
{
	struct flow_totals end = totals_of(flow);

	return flow_copy_ns(begin, &end);
}

static void time_in_copies_is_scaled_from_those_timed(void **state)
{
	static const size_t block_sizes_timed[] = { 1000, 100000 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct flow_buffer *buffer = create_buffer(131072, 0, 0);
		struct flow *flow = create_flow(FLOW_RECEIVER, false, false, 0);
		unsigned char *slot = calloc(1, block_sizes_timed[i]);

		copy_takes_ns = 700;
		clock_reads = 0;
		for (int n = 0; n < 1300; n++)
			flow_received(flow, buffer, slot, block_sizes_timed[i]);
		assert_int_equal(totals_of(flow).copied_bytes, 1300 * block_sizes_timed[i]);
		assert_in_range(copy_ns_since(flow, &nothing), 700 * 1300 - 1, 700 * 1300 + 1);
		/* Reading the clock would cost more than copying so little. */
		assert_int_equal(clock_reads, 2 * (i == 0 ? 1300 / 13 : 1300));
		free(slot);
		flow_destroy(flow);
		flow_buffer_destroy(buffer);
	}
}

/* The first copy, which is timed, is the slowest by far: of what is omitted, it must not count. */
static void time_in_copies_is_that_between_two_moments(void **state)
{
	struct flow_buffer *buffer = create_buffer(131072, 0, 0);
	struct flow *flow = create_flow(FLOW_RECEIVER, false, false, 0);
	static const unsigned char slot[1000];
	struct flow_totals begin;

	(void)state;
	copy_takes_ns = 100000;
	flow_received(flow, buffer, slot, sizeof(slot));
	copy_takes_ns = 700;
	for (int n = 1; n < 12; n++)
		flow_received(flow, buffer, slot, sizeof(slot));
	begin = totals_of(flow);
	assert_int_equal(copy_ns_since(flow, &begin), 0);
	for (int n = 0; n < 26; n++)
		flow_received(flow, buffer, slot, sizeof(slot));
	assert_in_range(copy_ns_since(flow, &begin), 700 * 26 - 1, 700 * 26 + 1);
	flow_destroy(flow);
	flow_buffer_destroy(buffer);
}

static void unusable_options_are_refused(void **state)
{
	static const struct copy_variant memset_only = { .name = "memset-only" };
	static const struct flow_buffer_options bad[] = {
		{ .source_align = 64 },	    { .destination_align = 64 }, { .ring_bytes = 63 },
		{ .ring_bytes = SIZE_MAX }, { .copy = &memset_only },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		if (flow_buffer_create(&bad[i]) || errno != EINVAL)
			fail_msg("options %zu were taken, errno %d", i, errno);
	}
}

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
		flow_sent(flow, flow_send_bytes(flow), true);
		flow_read_totals(flow, &totals);
		assert_int_equal(totals.blocks, cases[i].blocks);
		flow_destroy(flow);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_are_counted_by_the_rule),
		cmocka_unit_test(counters_of_64_bits),
		cmocka_unit_test(short_datagrams_are_ignored),
		cmocka_unit_test(jitter_is_that_of_rfc_1889),
		cmocka_unit_test(datagrams_carry_time_and_sequence),
		cmocka_unit_test(every_copy_is_aligned_as_asked),
		cmocka_unit_test(blocks_follow_each_other_round_the_ring),
		cmocka_unit_test(nothing_is_copied_without_a_variant),
		cmocka_unit_test(time_in_copies_is_scaled_from_those_timed),
		cmocka_unit_test(time_in_copies_is_that_between_two_moments),
		cmocka_unit_test(unusable_options_are_refused),
		cmocka_unit_test(blocks_are_due_at_the_rate),
		cmocka_unit_test(the_slowest_rate_does_not_overflow),
		cmocka_unit_test(only_large_blocks_without_a_rate_are_sent_together),
		cmocka_unit_test(no_rate_is_due_at_once),
		cmocka_unit_test(echo_does_not_answer_everybody),
		cmocka_unit_test(only_network_errors_over_udp_go_on),
	};

	return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
