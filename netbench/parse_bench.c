/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Parse bench: the reader walks the file and notes where packets are; the parser takes these notes.
 * Each is repeated until it is long enough to be timed, and that some times, in turns.
 */
#include "netbench/parse_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "netbench/clock.h"

#define SAMPLES	    11
#define SAMPLE_NS   20000000
#define BATCH	    32
#define PACKETS_MAX ((size_t)1 << 20)

enum part { READER, PARSER, GENERAL, COPIED, PARTS };

static const char *const part_names[PARTS] = { "reader", "parser", "parser, general way",
					       "parser, copied" };

struct bench {
	struct capture *capture;
	enum packet_link link;
	struct packet_input *inputs;
	size_t count;
	const struct copy_variant *copy; /* NULL: that part is left out */
	uint64_t sum; /* of something of each packet, so that no work is left out */
};

static void read_once(struct bench *bench)
{
	struct packet_input inputs[BATCH];
	size_t left = bench->count, got;

	capture_rewind(bench->capture);
	while (left &&
	       (got = capture_next(bench->capture, inputs, NULL, left < BATCH ? left : BATCH))) {
		bench->sum += inputs[got - 1].captured_bytes;
		left -= got;
	}
}

static void parse_once(struct bench *bench)
{
	struct packet packets[BATCH];

	for (size_t i = 0; i < bench->count; i += BATCH) {
		size_t got = bench->count - i < BATCH ? bench->count - i : BATCH;

		packet_parse_batch(bench->link, bench->inputs + i, got, packets);
		bench->sum += packets[got - 1].payload_offset;
	}
}

static void parse_generally_once(struct bench *bench)
{
	struct packet packet;

	for (size_t i = 0; i < bench->count; i++) {
		packet_parse_layers(bench->link, &bench->inputs[i], &packet, NULL);
		bench->sum += packet.payload_offset;
	}
}

static void parse_copied_once(struct bench *bench)
{
	struct packet packet;

	for (size_t i = 0; i < bench->count; i++) {
		packet_parse_copied(bench->link, &bench->inputs[i], bench->copy->memcpy, &packet);
		bench->sum += packet.payload_offset;
	}
}

static void (*const part_functions[PARTS])(struct bench *bench) = { read_once, parse_once,
								    parse_generally_once,
								    parse_copied_once };

static double ns_per_packet(struct bench *bench, enum part part)
{
	uint64_t begin = clock_now_ns(), now;
	uint64_t packets = 0;

	do {
		part_functions[part](bench);
		packets += bench->count;
		now = clock_now_ns();
	} while (now - begin < SAMPLE_NS);
	return (double)(now - begin) / (double)packets;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static int measure(struct bench *bench)
{
	int parts = bench->copy ? PARTS : COPIED;
	double samples[PARTS][SAMPLES];
	volatile uint64_t sum;
	uint64_t bytes = 0;

	for (int part = 0; part < parts; part++)
		part_functions[part](bench); /* once, to warm up */
	for (int i = 0; i < SAMPLES; i++)
		for (int part = 0; part < parts; part++)
			samples[part][i] = ns_per_packet(bench, (enum part)part);
	sum = bench->sum;
	(void)sum;
	for (size_t i = 0; i < bench->count; i++)
		bytes += bench->inputs[i].captured_bytes;
	printf("%zu packets of %" PRIu64
	       " bytes, in memory; ns a packet, median [low-high] of %d\n",
	       bench->count, bytes / bench->count, SAMPLES);
	for (int part = 0; part < parts; part++) {
		qsort(samples[part], SAMPLES, sizeof(samples[part][0]), compare);
		printf("  %-20s %8.2f [%.2f-%.2f]\n", part_names[part], samples[part][SAMPLES / 2],
		       samples[part][0], samples[part][SAMPLES - 1]);
	}
	return 0;
}

int parse_bench(struct capture *capture, const struct copy_variant *copy)
{
	struct bench bench = { .capture = capture,
			       .copy = copy,
			       .link = (enum packet_link)packet_link_of_type(capture->link_type) };
	int status = 2;

	bench.inputs = malloc(PACKETS_MAX * sizeof(bench.inputs[0]));
	if (bench.inputs)
		bench.count = capture_next(capture, bench.inputs, NULL, PACKETS_MAX);
	if (!bench.inputs)
		fputs("netbench: parse: there is not enough memory\n", stderr);
	else if (!bench.count)
		fputs("netbench: parse: there is no packet to be timed\n", stderr);
	else
		status = measure(&bench);
	free(bench.inputs);
	return status;
}
