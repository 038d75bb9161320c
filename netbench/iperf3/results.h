/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The results message of iperf3, which both sides send after a test. */
#ifndef NETBENCH_IPERF3_RESULTS_H
#define NETBENCH_IPERF3_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netbench/iperf3/parameters.h"

#define RESULTS_STREAMS_MAX	 (2 * PARAMETERS_STREAMS_MAX)
#define RESULTS_UNKNOWN		 (-1)
#define RESULTS_CONGESTION_BYTES 16

struct stream_results {
	int64_t id;
	uint64_t bytes;	     /* payload, without what was omitted */
	int64_t retransmits; /* RESULTS_UNKNOWN: the side cannot tell, or received */
	double jitter_s;
	int64_t errors;		 /* datagrams lost, with what was omitted */
	int64_t packets;	 /* highest sequence number, with what was omitted */
	int64_t omitted_errors;	 /* RESULTS_UNKNOWN: not told */
	int64_t omitted_packets; /* likewise */
	double start_s;		 /* 0 */
	double end_s;		 /* length of the test without what was omitted */
};

struct results {
	double cpu_total_percent; /* of one core */
	double cpu_user_percent;
	double cpu_system_percent;
	int64_t sender_has_retransmits; /* 1, 0, or RESULTS_UNKNOWN: this side did not send */
	char congestion_used[RESULTS_CONGESTION_BYTES]; /* "": none */
	const char *server_output; /* to send; NULL: none. Not filled by results_read() */
	size_t stream_count;
	struct stream_results streams[RESULTS_STREAMS_MAX];
};

/** The id of the stream that was opened index-th, from 0: 1, 3, 4, 5, ... */
static inline int64_t results_stream_id(size_t index)
{
	return index == 0 ? 1 : (int64_t)index + 2;
}

/** How long the results of so many streams may be, generously. */
static inline size_t results_bytes_max(size_t streams)
{
	return 8192 + 512 * streams;
}

/** The message's text, for free(); NULL: no memory. */
char *results_write(const struct results *results);

/**
 * Reads text[0 .. bytes), which is changed by it. True if it was read; false with the reason in
 * why[0 .. why_bytes).
 */
bool results_read(char *text, size_t bytes, struct results *results, char *why, size_t why_bytes);

/** The results of the stream with that id; NULL: there are none. */
const struct stream_results *results_find(const struct results *results, int64_t id);

#endif
