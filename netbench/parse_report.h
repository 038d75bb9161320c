/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Parse report: what `netbench parse` counts, as text, as JSON, and as a line for each packet. */
#ifndef NETBENCH_PARSE_REPORT_H
#define NETBENCH_PARSE_REPORT_H

#include <stdio.h>

#include "netbench/packet/capture.h"
#include "netbench/packet/packet.h"

#define IP_PROTOCOLS 256

struct parse_counts {
	uint64_t packets, captured_bytes, wire_bytes;
	uint64_t odd_bytes; /* packets at an odd address */
	uint64_t verdicts[PACKET_VERDICTS];
	uint64_t reasons[PACKET_REASONS];
	uint64_t layers[PACKET_LAYER_KINDS]; /* packets that have it */
	uint64_t protocols[IP_PROTOCOLS];    /* the innermost */
};

void parse_count(struct parse_counts *counts, const struct packet_input *input,
		 const struct packet *packet);

/** Each prints; write errors are to be found in the stream. */
void parse_print(FILE *out, const struct capture *capture, const char *path,
		 const struct parse_counts *counts);
void parse_print_csv_head(FILE *out);
void parse_print_csv(FILE *out, uint64_t number, double time_s, const struct packet_input *input,
		     const struct packet *packet);

/** 0, or -1: no memory, or not written. path "-": standard output. */
int parse_write_json(const char *path, const struct capture *capture, const char *file,
		     const struct parse_counts *counts);

#endif
