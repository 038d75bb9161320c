/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The streams of one test. See streams.h. */
#include "netbench/iperf3/streams.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netbench/engine/engine.h"
#include "netbench/flow.h"
#include "netbench/iperf3/error.h"
#include "netbench/iperf3/stream_options.h"
#include "netbench/loop.h"

#define DRAIN_BYTES (1 << 20)

struct figures {
	struct flow_totals totals;
	uint64_t retransmits;
};

struct stream {
	struct watch drain; /* first: the watch's handler finds the stream by it */
	struct streams *set;
	struct flow *flow; /* holds the socket; NULL: not opened, or closed again */
	bool sender;
	bool in_engine;
	bool tells_retransmits;
	struct figures begin;
	struct figures end;
};

struct streams {
	struct streams_config config;
	size_t count;
	size_t opened;
	size_t in_engine;
	_Atomic uint64_t blocks_left; /* that all senders together may still send */
	bool limited;		      /* by it */
	char congestion[RESULTS_CONGESTION_BYTES];
	struct stream stream[];
};

/*
 * A stock server stops to send when what -n or -k asked for has been sent by all streams together;
 * so do we over TCP, in whole blocks. Two cases go on until the client ends the test, as it would
 * wait for ever: over UDP it waits for as many bytes as it asked for, and what was lost has to be
 * made up for; and with -O it counts from its own end of the omitted time on, not from ours.
 */
static void limit_blocks(struct streams *streams)
{
	const struct parameters *parameters = streams->config.parameters;

	streams->limited = !parameters->udp && !parameters->omit_s &&
			   (parameters->bytes || parameters->blocks);
	streams->blocks_left = parameters->blocks;
	if (parameters->bytes)
		streams->blocks_left = parameters->bytes / parameters->block_bytes +
				       (parameters->bytes % parameters->block_bytes > 0);
}

struct streams *streams_create(const struct streams_config *config)
{
	size_t count = parameters_streams(config->parameters);
	struct streams *streams = calloc(1, sizeof(*streams) + count * sizeof(streams->stream[0]));

	if (!streams)
		return NULL;
	streams->config = *config;
	streams->count = count;
	limit_blocks(streams);
	for (size_t i = 0; i < count; i++) {
		streams->stream[i].set = streams;
		streams->stream[i].sender =
			config->parameters->reverse || i >= config->parameters->streams;
	}
	return streams;
}

static void close_stream(struct stream *stream)
{
	loop_unwatch(stream->set->config.loop, &stream->drain);
	if (!stream->in_engine) /* else the engine, now closed, has destroyed the flow */
		flow_destroy(stream->flow);
	stream->flow = NULL;
}

void streams_destroy(struct streams *streams)
{
	if (!streams)
		return;
	for (size_t i = 0; i < streams->opened; i++)
		close_stream(&streams->stream[i]);
	free(streams);
}

size_t streams_missing(const struct streams *streams)
{
	return streams->count - streams->opened;
}

unsigned int streams_add(struct streams *streams, int fd, const char **what)
{
	const struct parameters *parameters = streams->config.parameters;
	struct stream *stream = &streams->stream[streams->opened];
	struct flow_config config = {
		.fd = fd,
		.role = stream->sender ? FLOW_SENDER : FLOW_RECEIVER,
		.udp = parameters->udp,
		.udp_counters_64bit = parameters->udp_counters_64bit,
		.block_bytes = parameters->block_bytes,
		.rate_bits_per_s = parameters->rate_bits_per_s,
		.burst_blocks = parameters->burst_blocks,
		.blocks_left = streams->limited ? &streams->blocks_left : NULL,
		.owner = stream,
	};
	unsigned int error = stream_options_set(fd, parameters, what);
	int cause = errno;

	if (error) {
		close(fd);
		errno = cause;
		return error;
	}
	if (!parameters->udp)
		stream_congestion(fd, streams->congestion, sizeof(streams->congestion));
	stream->flow = flow_create(&config);
	if (!stream->flow) {
		close(fd);
		*what = "the stream";
		errno = ENOMEM;
		return IPERF3_CREATE_STREAM;
	}
	streams->opened++;
	return IPERF3_OK;
}

unsigned int streams_start(struct streams *streams, bool senders, const char **what)
{
	for (size_t i = 0; i < streams->opened; i++) {
		struct stream *stream = &streams->stream[i];
		int error;

		if (stream->sender != senders)
			continue;
		error = engine_add(streams->config.engine, stream->flow);
		if (error) {
			*what = "the engine";
			errno = -error;
			return IPERF3_INIT_STREAM;
		}
		stream->in_engine = true;
		streams->in_engine++;
	}
	return IPERF3_OK;
}

void streams_stop(struct streams *streams)
{
	for (size_t i = 0; i < streams->opened; i++)
		if (streams->stream[i].in_engine)
			engine_stop(streams->config.engine, streams->stream[i].flow);
}

bool streams_ended(const struct streams *streams)
{
	return streams->in_engine == 0;
}

void streams_flow_ended(struct flow *flow)
{
	struct stream *stream = flow_owner(flow);
	struct streams *streams = stream->set;

	stream->in_engine = false;
	streams->in_engine--;
	if (flow_error(flow))
		streams->config.broke(streams->config.context, stream->sender, flow_error(flow));
	if (streams->in_engine == 0)
		streams->config.ended(streams->config.context);
}

/* -- figures ------------------------------------------------------------------------------- */

static void take_figures(struct stream *stream, struct figures *figures)
{
	if (!stream->flow)
		return;
	flow_read_totals(stream->flow, &figures->totals);
	if (stream->sender && !stream->set->config.parameters->udp)
		stream->tells_retransmits =
			stream_retransmits(flow_fd(stream->flow), &figures->retransmits);
}

void streams_begin(struct streams *streams)
{
	for (size_t i = 0; i < streams->opened; i++)
		take_figures(&streams->stream[i], &streams->stream[i].begin);
}

void streams_finish(struct streams *streams)
{
	for (size_t i = 0; i < streams->opened; i++)
		take_figures(&streams->stream[i], &streams->stream[i].end);
}

static void stream_results(const struct stream *stream, double seconds,
			   struct stream_results *results)
{
	const struct flow_totals *begin = &stream->begin.totals;
	const struct flow_totals *end = &stream->end.totals;
	bool udp = stream->set->config.parameters->udp;

	results->bytes = end->bytes - begin->bytes;
	results->retransmits = RESULTS_UNKNOWN;
	if (stream->tells_retransmits)
		results->retransmits =
			(int64_t)(stream->end.retransmits - stream->begin.retransmits);
	results->end_s = seconds;
	if (!udp)
		return;
	/* Of these the peer itself takes off what was omitted. */
	results->packets = (int64_t)end->highest_sequence;
	results->omitted_packets = (int64_t)begin->highest_sequence;
	results->errors = (int64_t)end->lost;
	results->omitted_errors = (int64_t)begin->lost;
	results->jitter_s = end->jitter_s;
}

void streams_results(const struct streams *streams, double seconds, struct results *results)
{
	bool sends = parameters_send(streams->config.parameters);
	bool told = false;

	memset(results->streams, 0, sizeof(results->streams));
	results->stream_count = streams->opened;
	for (size_t i = 0; i < streams->opened; i++) {
		results->streams[i].id = results_stream_id(i);
		stream_results(&streams->stream[i], seconds, &results->streams[i]);
		told = told || streams->stream[i].tells_retransmits;
	}
	results->sender_has_retransmits = sends ? told : RESULTS_UNKNOWN;
	memcpy(results->congestion_used, streams->congestion, sizeof(streams->congestion));
}

void streams_total(const struct streams *streams, struct streams_totals *totals)
{
	size_t receivers = 0;

	memset(totals, 0, sizeof(*totals));
	for (size_t i = 0; i < streams->opened; i++) {
		const struct stream *stream = &streams->stream[i];
		const struct flow_totals *begin = &stream->begin.totals;
		const struct flow_totals *end = &stream->end.totals;
		bool counts_packets = !stream->sender || streams->config.parameters->reverse;

		if (stream->sender)
			totals->sent_bytes += end->bytes - begin->bytes;
		else
			totals->received_bytes += end->bytes - begin->bytes;
		if (counts_packets)
			totals->packets += end->highest_sequence - begin->highest_sequence;
		/* Late arrivals may make up for losses that were counted as omitted. */
		if (end->lost > begin->lost)
			totals->lost += end->lost - begin->lost;
		totals->out_of_order += end->out_of_order - begin->out_of_order;
		totals->network_errors += end->errors - begin->errors;
		totals->retransmits += stream->end.retransmits - stream->begin.retransmits;
		totals->copied_bytes += end->copied_bytes - begin->copied_bytes;
		totals->copy_ns += flow_copy_ns(begin, end);
		totals->jitter_s += end->jitter_s;
		receivers += !stream->sender;
	}
	if (receivers)
		totals->jitter_s /= (double)receivers;
}

const char *streams_congestion(const struct streams *streams)
{
	return streams->congestion;
}

bool streams_have_peer(const struct streams *streams, const union address *peer)
{
	for (size_t i = 0; i < streams->opened; i++) {
		union address other = { 0 };
		socklen_t bytes = sizeof(other);

		if (getpeername(flow_fd(streams->stream[i].flow), &other.any, &bytes) < 0)
			continue;
		address_normalize(&other);
		if (address_same_host(&other, peer) && address_port(&other) == address_port(peer))
			return true;
	}
	return false;
}

uint64_t streams_bytes_now(const struct streams *streams)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < streams->opened; i++) {
		struct flow_totals totals;

		if (!streams->stream[i].flow)
			continue;
		flow_read_totals(streams->stream[i].flow, &totals);
		bytes += totals.bytes;
	}
	return bytes;
}

uint64_t streams_bytes_waiting(const struct streams *streams)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < streams->opened; i++) {
		int waiting = 0;

		if (streams->stream[i].flow &&
		    ioctl(flow_fd(streams->stream[i].flow), FIONREAD, &waiting) == 0)
			bytes += (uint64_t)waiting;
	}
	return bytes;
}

/* -- after the test ------------------------------------------------------------------------ */

static void drain_ready(struct watch *watch, uint32_t events)
{
	struct stream *stream = (struct stream *)(void *)watch;
	/* MSG_TRUNC: TCP drops the bytes without copying them anywhere. */
	ssize_t got = recv(watch->fd, NULL, DRAIN_BYTES, MSG_TRUNC | MSG_DONTWAIT);

	(void)events;
	if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close_stream(stream);
}

void streams_drain(struct streams *streams)
{
	bool udp = streams->config.parameters->udp;

	for (size_t i = 0; i < streams->opened; i++) {
		struct stream *stream = &streams->stream[i];

		if (!stream->flow)
			continue;
		stream->drain.fd = flow_fd(stream->flow);
		stream->drain.ready = drain_ready;
		if (udp || stream->sender ||
		    loop_watch(streams->config.loop, &stream->drain, EPOLLIN) < 0)
			close_stream(stream);
	}
}

bool streams_drained(const struct streams *streams)
{
	for (size_t i = 0; i < streams->opened; i++)
		if (streams->stream[i].flow)
			return false;
	return true;
}
