/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What is told of a test: a line for people, an object for programs. */
#ifndef NETBENCH_IPERF3_REPORT_H
#define NETBENCH_IPERF3_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "netbench/iperf3/address.h"
#include "netbench/iperf3/parameters.h"
#include "netbench/iperf3/results.h"
#include "netbench/iperf3/streams.h"

#define REPORT_ERROR_BYTES 256
#define REPORT_LINE_BYTES  512

struct report {
	char client[ADDRESS_TEXT_BYTES];
	struct parameters parameters;
	char congestion[RESULTS_CONGESTION_BYTES]; /* in use; "": UDP */
	double seconds;				   /* without what was omitted */
	struct streams_totals totals;
	double user_s;	 /* CPU time of the whole process in those seconds: with several clients */
	double system_s; /* at once, of all of them */
	bool peer_told;	 /* the client's results came */
	uint64_t peer_received_bytes;
	uint64_t peer_sent_bytes;
	uint64_t peer_lost;
	char error[REPORT_ERROR_BYTES]; /* "": none */
};

/** What all tests of a server share. */
struct report_settings {
	const char *engine; /* engine_describe() */
	const char *copy;   /* name of the variant, or "none" */
	unsigned int source_align;
	unsigned int destination_align;
	size_t ring_bytes;
};

/** "TCP, 4 streams, receiving" and the options that matter, into line[0 .. REPORT_LINE_BYTES). */
const char *report_describe(const struct parameters *parameters, char *line);

/** "9.41 Gbit/s, 1.10 GB in 1.00 s ...", into line[0 .. REPORT_LINE_BYTES). Returns line. */
const char *report_summarize(const struct report *report, char *line);

/** One JSON object on one line, for free(); NULL: no memory. */
char *report_json(const struct report *report, const struct report_settings *settings);

#endif
