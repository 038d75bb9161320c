/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * One stream: what is copied where, what is counted, when the next block is due.
 *
 * Counters have one writer, so they are plain additions; that each is stored at once (relaxed
 * atomics) is all that a reader in another thread needs.
 *
 * The time in the copy routine is estimated: large copies are all timed, of small ones every
 * thirteenth, less what reading the clock costs, and scaled by bytes. Thirteen shares no factor
 * with the number of slots, so every slot has its turn.
 */
#include "netbench/flow.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netbench/clock.h"
#include "netbench/flow_buffer.h"
#include "netbench/flow_error.h"
#include "netbench/iperf3/wire.h"

#define TIMED_ALWAYS_BYTES   ((size_t)64 << 10)
#define TIMED_EVERY	     13
#define ECHO_PORT_MIN	     1024
#define SEND_BYTES	     ((size_t)512 << 10)
#define FAILURES_UNTIL_PAUSE 2
#define FAILURE_PAUSE_NS     NS_PER_MS

typedef _Atomic uint64_t counter;

struct flow {
	struct flow_config config;
	void *engine_data;
	atomic_int error;

	counter bytes, blocks;
	counter highest_sequence, lost, out_of_order, errors;
	counter copied_bytes, timed_bytes;
	_Atomic int64_t timed_ns;
	_Atomic double jitter_s;

	unsigned int blocks_a_send;

	/* Only the moving thread knows these. */
	unsigned int blocks_in_slot; /* of the slot that was filled last */
	uint64_t filled_blocks;
	uint64_t schedule_start_ns;
	uint64_t pause_until_ns;
	unsigned int failures_in_a_row;
	int64_t previous_transit_ns;
	uint16_t local_port; /* UDP echo */
};

static inline uint64_t counter_get(const counter *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

static inline void counter_set(counter *c, uint64_t value)
{
	atomic_store_explicit(c, value, memory_order_relaxed);
}

static inline void counter_add(counter *c, uint64_t n)
{
	counter_set(c, counter_get(c) + n);
}

/* -- life ---------------------------------------------------------------------------------- */

static uint16_t port_of(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)(const void *)address)->sin6_port);
	if (address->sa_family == AF_INET)
		return ntohs(((const struct sockaddr_in *)(const void *)address)->sin_port);
	return 0;
}

/*
 * Over a veth pair, sends of 128 KiB with a copy before each reach 0.85 of a stock sender, which
 * copies nothing; sends of four times that reach all of it.
 */
static unsigned int blocks_a_send(const struct flow_config *config)
{
	if (config->role != FLOW_SENDER || config->udp || config->rate_bits_per_s > 0 ||
	    config->block_bytes < FLOW_LARGE_BLOCK_BYTES || config->block_bytes > SEND_BYTES)
		return 1;
	return (unsigned int)(SEND_BYTES / config->block_bytes);
}

struct flow *flow_create(const struct flow_config *config)
{
	struct flow *flow = calloc(1, sizeof(*flow));
	struct sockaddr_storage local = { 0 };
	socklen_t length = sizeof(local);

	if (!flow)
		return NULL;
	flow->config = *config;
	flow->blocks_a_send = blocks_a_send(config);
	if (config->udp && config->role == FLOW_ECHO &&
	    getsockname(config->fd, (struct sockaddr *)&local, &length) == 0)
		flow->local_port = port_of((struct sockaddr *)&local);
	return flow;
}

void flow_destroy(struct flow *flow)
{
	if (!flow)
		return;
	if (flow->config.fd >= 0)
		close(flow->config.fd);
	free(flow);
}

void *flow_owner(const struct flow *flow)
{
	return flow->config.owner;
}

int flow_fd(const struct flow *flow)
{
	return flow->config.fd;
}

const struct flow_config *flow_configuration(const struct flow *flow)
{
	return &flow->config;
}

void flow_set_engine_data(struct flow *flow, void *data)
{
	flow->engine_data = data;
}

void *flow_engine_data(const struct flow *flow)
{
	return flow->engine_data;
}

int flow_error(const struct flow *flow)
{
	return atomic_load_explicit(&flow->error, memory_order_relaxed);
}

void flow_read_totals(const struct flow *flow, struct flow_totals *totals)
{
	*totals = (struct flow_totals){
		.bytes = counter_get(&flow->bytes),
		.blocks = counter_get(&flow->blocks),
		.highest_sequence = counter_get(&flow->highest_sequence),
		.lost = counter_get(&flow->lost),
		.out_of_order = counter_get(&flow->out_of_order),
		.errors = counter_get(&flow->errors),
		.jitter_s = atomic_load_explicit(&flow->jitter_s, memory_order_relaxed),
		.copied_bytes = counter_get(&flow->copied_bytes),
		.timed_bytes = counter_get(&flow->timed_bytes),
		.timed_ns = atomic_load_explicit(&flow->timed_ns, memory_order_relaxed),
	};
}

uint64_t flow_copy_ns(const struct flow_totals *begin, const struct flow_totals *end)
{
	int64_t timed_ns = end->timed_ns - begin->timed_ns;
	uint64_t timed_bytes = end->timed_bytes - begin->timed_bytes;
	uint64_t copied_bytes = end->copied_bytes - begin->copied_bytes;

	if (timed_bytes == 0 || timed_ns <= 0)
		return 0;
	return (uint64_t)((double)timed_ns * (double)copied_bytes / (double)timed_bytes);
}

/* -- the copy ------------------------------------------------------------------------------ */

static void copy_timed(struct flow *flow, struct flow_buffer *buffer, void *destination,
		       const void *source, size_t bytes)
{
	uint64_t start = clock_now_ns();
	int64_t spent;

	buffer->copy(destination, source, bytes);
	spent = (int64_t)(clock_now_ns() - start) - (int64_t)buffer->clock_cost_ns;
	spent += atomic_load_explicit(&flow->timed_ns, memory_order_relaxed);
	atomic_store_explicit(&flow->timed_ns, spent, memory_order_relaxed);
	counter_add(&flow->timed_bytes, bytes);
}

static void copy_block(struct flow *flow, struct flow_buffer *buffer, void *destination,
		       const void *source, size_t bytes)
{
	uint64_t word = 0;
	size_t word_bytes = bytes < sizeof(word) ? bytes : sizeof(word);

	if (bytes >= TIMED_ALWAYS_BYTES || --buffer->until_timed == 0) {
		buffer->until_timed = TIMED_EVERY;
		copy_timed(flow, buffer, destination, source, bytes);
	} else {
		buffer->copy(destination, source, bytes);
	}
	counter_add(&flow->copied_bytes, bytes);
	memcpy(&word, (unsigned char *)destination + bytes - word_bytes, word_bytes);
	buffer->sink ^= word;
}

/*
 * A block that is larger than the ring is copied in pieces as large as the ring, whose size is a
 * multiple of 64: so each piece has the asked alignments.
 */
static void copy_out(struct flow *flow, struct flow_buffer *buffer, const unsigned char *slot,
		     size_t bytes)
{
	struct flow_ring *ring = &buffer->received;

	while (bytes > 0) {
		size_t piece = bytes < ring->bytes ? bytes : ring->bytes;

		copy_block(flow, buffer, flow_ring_take(ring, piece), slot, piece);
		slot += piece;
		bytes -= piece;
	}
}

static void copy_in(struct flow *flow, struct flow_buffer *buffer, unsigned char *slot,
		    size_t bytes)
{
	struct flow_ring *ring = &buffer->to_send;

	while (bytes > 0) {
		size_t piece = bytes < ring->bytes ? bytes : ring->bytes;

		copy_block(flow, buffer, slot, flow_ring_take(ring, piece), piece);
		slot += piece;
		bytes -= piece;
	}
}

/* -- receiving ----------------------------------------------------------------------------- */

/* Loss and reordering as iperf3 counts them: a duplicate counts as out of order too. */
static void count_sequence(struct flow *flow, uint64_t sequence)
{
	uint64_t highest = counter_get(&flow->highest_sequence);

	if (sequence > highest) {
		counter_add(&flow->lost, sequence - highest - 1);
		counter_set(&flow->highest_sequence, sequence);
		return;
	}
	counter_add(&flow->out_of_order, 1);
	if (counter_get(&flow->lost) > 0)
		counter_set(&flow->lost, counter_get(&flow->lost) - 1);
}

/* RFC 1889, A.8: only differences of transit times count, so the clocks need not agree. */
static void count_jitter(struct flow *flow, const struct wire_datagram *datagram)
{
	int64_t sent_ns = (int64_t)(datagram->seconds * NS_PER_S) +
			  (int64_t)(datagram->microseconds * NS_PER_US);
	int64_t transit_ns = (int64_t)clock_now_ns() - sent_ns;
	double jitter_s = atomic_load_explicit(&flow->jitter_s, memory_order_relaxed);
	double change_s;

	if (counter_get(&flow->blocks) == 0)
		flow->previous_transit_ns = transit_ns;
	change_s = (double)llabs(transit_ns - flow->previous_transit_ns) / (double)NS_PER_S;
	flow->previous_transit_ns = transit_ns;
	jitter_s += (change_s - jitter_s) / 16;
	atomic_store_explicit(&flow->jitter_s, jitter_s, memory_order_relaxed);
}

void flow_received(struct flow *flow, struct flow_buffer *buffer, const void *slot, size_t bytes)
{
	struct wire_datagram datagram;

	if (flow->config.udp) {
		if (!wire_get_datagram(slot, bytes, flow->config.udp_counters_64bit, &datagram))
			return;
		count_sequence(flow, datagram.sequence);
		count_jitter(flow, &datagram);
	}
	if (buffer->copy)
		copy_out(flow, buffer, slot, bytes);
	counter_add(&flow->bytes, bytes);
	counter_add(&flow->blocks, 1);
}

/* -- sending ------------------------------------------------------------------------------- */

/* Block n is due when all blocks before its burst would have left at exactly the rate. */
static uint64_t scheduled_ns(const struct flow *flow)
{
	uint64_t burst = flow->config.burst_blocks ? flow->config.burst_blocks : 1;
	uint64_t blocks_before = flow->filled_blocks / burst * burst;
	unsigned __int128 bits = (unsigned __int128)blocks_before * flow->config.block_bytes * 8;
	unsigned __int128 due_ns =
		flow->schedule_start_ns + bits * NS_PER_S / flow->config.rate_bits_per_s;

	return due_ns > INT64_MAX ? INT64_MAX : (uint64_t)due_ns;
}

uint64_t flow_due_ns(const struct flow *flow)
{
	uint64_t due_ns = flow->pause_until_ns;

	if (flow->config.blocks_left && counter_get(flow->config.blocks_left) == 0)
		return INT64_MAX;
	if (flow->config.rate_bits_per_s > 0 && flow->filled_blocks > 0 &&
	    scheduled_ns(flow) > due_ns)
		due_ns = scheduled_ns(flow);
	return due_ns;
}

size_t flow_send_bytes(const struct flow *flow)
{
	return flow->blocks_a_send * flow->config.block_bytes;
}

static void put_header(struct flow *flow, void *slot)
{
	uint64_t now_ns = clock_now_ns();
	struct wire_datagram datagram = {
		.seconds = (uint32_t)(now_ns / NS_PER_S),
		.microseconds = (uint32_t)(now_ns % NS_PER_S / NS_PER_US),
		.sequence = flow->filled_blocks,
	};

	wire_put_datagram(slot, &datagram, flow->config.udp_counters_64bit);
}

/* How many of the wanted blocks are left to this flow, which are its own from now on. */
static unsigned int take_blocks(_Atomic uint64_t *left, unsigned int wanted)
{
	uint64_t there = counter_get(left);
	unsigned int taken;

	do
		taken = there < wanted ? (unsigned int)there : wanted;
	while (!atomic_compare_exchange_weak_explicit(left, &there, there - taken,
						      memory_order_relaxed, memory_order_relaxed));
	return taken;
}

size_t flow_fill(struct flow *flow, struct flow_buffer *buffer, void *slot)
{
	unsigned int blocks = flow->blocks_a_send;
	size_t bytes;

	if (flow->config.blocks_left)
		blocks = take_blocks(flow->config.blocks_left, blocks);
	bytes = blocks * flow->config.block_bytes;
	if (bytes == 0)
		return 0;
	if (flow->config.rate_bits_per_s > 0 && flow->filled_blocks == 0)
		flow->schedule_start_ns = clock_now_ns();
	flow->filled_blocks += blocks;
	flow->blocks_in_slot = blocks;
	if (buffer->copy)
		copy_in(flow, buffer, slot, bytes);
	if (flow->config.udp)
		put_header(flow, slot);
	return bytes;
}

void flow_sent(struct flow *flow, size_t bytes, bool ends_slot)
{
	counter_add(&flow->bytes, bytes);
	flow->failures_in_a_row = 0;
	if (!ends_slot)
		return;
	counter_add(&flow->blocks, flow->config.role == FLOW_SENDER ? flow->blocks_in_slot : 1);
	if (flow->config.udp && flow->config.role == FLOW_SENDER)
		counter_add(&flow->highest_sequence, 1);
}

void flow_dropped(struct flow *flow)
{
	counter_add(&flow->highest_sequence, 1);
}

/* -- echo ---------------------------------------------------------------------------------- */

void flow_echo(struct flow *flow, struct flow_buffer *buffer, void *send_slot, const void *slot,
	       size_t bytes)
{
	if (bytes == 0)
		return;
	if (buffer->copy)
		copy_block(flow, buffer, send_slot, slot, bytes);
	else
		memcpy(send_slot, slot, bytes);
}

bool flow_echo_answers(const struct flow *flow, const struct sockaddr *from)
{
	uint16_t port = port_of(from);

	return port >= ECHO_PORT_MIN && port != flow->local_port;
}

/* -- errors -------------------------------------------------------------------------------- */

bool flow_goes_on(struct flow *flow, int error)
{
	if (!flow_error_passes(&flow->config, error)) {
		atomic_store_explicit(&flow->error, error, memory_order_relaxed);
		return false;
	}
	counter_add(&flow->errors, 1);
	/* An error that stays must not become a busy loop. */
	if (++flow->failures_in_a_row >= FAILURES_UNTIL_PAUSE)
		flow->pause_until_ns = clock_now_ns() + FAILURE_PAUSE_NS;
	return true;
}
