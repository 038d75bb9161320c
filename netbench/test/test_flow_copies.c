/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which copies a flow makes: from where to where, how aligned, how their time is counted. */
#include "netbench/test/flow_test.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_copy_is_aligned_as_asked),
		cmocka_unit_test(blocks_follow_each_other_round_the_ring),
		cmocka_unit_test(nothing_is_copied_without_a_variant),
		cmocka_unit_test(time_in_copies_is_scaled_from_those_timed),
		cmocka_unit_test(time_in_copies_is_that_between_two_moments),
		cmocka_unit_test(unusable_options_are_refused),
	};

	return cmocka_run_group_tests_name("flow: copies", tests, NULL, NULL);
}
