/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* netbench parse: reads a capture file in batches, parses them, and counts or prints. */
#include "netbench/parse.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netbench/copy_choice.h"
#include "netbench/parse_bench.h"
#include "netbench/parse_report.h"

#define EXIT_ENDS_EARLY 1
#define EXIT_USAGE	2
#define BATCH		32

struct parse_options {
	const char *path;
	const char *json_path;		 /* NULL: none */
	const struct copy_variant *copy; /* NULL: parsed where it lies */
	bool csv, bench;
	uint64_t limit; /* packets; 0: all */
};

static int usage(FILE *out, int status)
{
	fputs("Usage: netbench parse FILE.pcap|- [OPTION]...\n"
	      "Says what headers the packets of a capture have, without a misaligned load.\n\n"
	      "  --csv          a line for each packet, with the places of its headers\n"
	      "  --json FILE|-  the counts as JSON\n"
	      "  --copy VARIANT copy the first bytes of each packet by that routine, and parse "
	      "the copy\n"
	      "                 (none: where they lie)\n"
	      "  --bench        time for a packet, of the reader and of the parser\n"
	      "  -c, --count N  no more packets than these\n"
	      "  --help         this\n\n"
	      "Exit status: 0, 1 the file ends before its time, 2 it cannot be read, or wrong "
	      "usage.\n\nVARIANT: ",
	      out);
	copy_list_choices(out);
	return status;
}

static int read_count(const char *text, uint64_t *count)
{
	char *end;

	errno = 0;
	*count = strtoull(text, &end, 10);
	if (errno || *end || text[0] < '1' || text[0] > '9') {
		fprintf(stderr, "netbench: parse: --count %s: a number from 1 on is allowed\n",
			text);
		return -1;
	}
	return 0;
}

/* Returns -1 to go on, or the exit status. */
static int read_options(int argc, char **argv, struct parse_options *options)
{
	enum { OPTION_CSV = 256, OPTION_JSON, OPTION_BENCH, OPTION_COPY, OPTION_HELP };
	static const struct option table[] = {
		{ "csv", no_argument, NULL, OPTION_CSV },
		{ "json", required_argument, NULL, OPTION_JSON },
		{ "bench", no_argument, NULL, OPTION_BENCH },
		{ "copy", required_argument, NULL, OPTION_COPY },
		{ "count", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, OPTION_HELP },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "c:", table, NULL)) >= 0)
		switch (option) {
		case OPTION_CSV:
			options->csv = true;
			break;
		case OPTION_JSON:
			options->json_path = optarg;
			break;
		case OPTION_BENCH:
			options->bench = true;
			break;
		case OPTION_COPY:
			if (!copy_choose("netbench parse", optarg, &options->copy))
				return EXIT_USAGE;
			break;
		case 'c':
			if (read_count(optarg, &options->limit))
				return EXIT_USAGE;
			break;
		case OPTION_HELP:
			return usage(stdout, 0);
		default:
			return usage(stderr, EXIT_USAGE);
		}
	if (argc - optind != 1) {
		fprintf(stderr, "netbench: parse: one file is wanted, or - for standard input\n");
		return usage(stderr, EXIT_USAGE);
	}
	options->path = argv[optind];
	if (options->csv + options->bench +
		    (options->json_path && !strcmp(options->json_path, "-")) >
	    1) {
		fputs("netbench: parse: --csv, --bench and --json - each want standard output\n",
		      stderr);
		return EXIT_USAGE;
	}
	return -1;
}

static void parse_all(struct capture *capture, const struct parse_options *options,
		      struct parse_counts *counts)
{
	enum packet_link link = (enum packet_link)packet_link_of_type(capture->link_type);
	struct packet_input inputs[BATCH];
	struct packet packets[BATCH];
	uint64_t ticks[BATCH], left = options->limit ? options->limit : UINT64_MAX;
	size_t got;

	if (options->csv)
		parse_print_csv_head(stdout);
	while (left && (got = capture_next(capture, inputs, ticks, left < BATCH ? left : BATCH))) {
		if (options->copy)
			for (size_t i = 0; i < got; i++)
				packet_parse_copied(link, &inputs[i], options->copy->memcpy,
						    &packets[i]);
		else
			packet_parse_batch(link, inputs, got, packets);
		for (size_t i = 0; i < got; i++) {
			parse_count(counts, &inputs[i], &packets[i]);
			if (options->csv)
				parse_print_csv(stdout, counts->packets,
						(double)ticks[i] / (double)capture->ticks_per_s,
						&inputs[i], &packets[i]);
		}
		left -= got;
	}
}

static int show(struct capture *capture, const struct parse_options *options)
{
	static struct parse_counts counts;
	bool json_on_stdout = options->json_path && !strcmp(options->json_path, "-");

	parse_all(capture, options, &counts);
	if (!options->csv && !json_on_stdout)
		parse_print(stdout, capture, options->path, &counts);
	if (options->json_path &&
	    parse_write_json(options->json_path, capture, options->path, &counts)) {
		fprintf(stderr, "netbench: parse: --json %s: %s\n", options->json_path,
			strerror(errno));
		return EXIT_USAGE;
	}
	if (!*capture->why)
		return 0;
	fflush(stdout);
	fprintf(stderr, "netbench: parse: %s: %s; what was read before is %s\n", options->path,
		capture->why, options->csv ? "above" : "counted");
	return EXIT_ENDS_EARLY;
}

int parse_main(int argc, char **argv)
{
	struct parse_options options = { .path = NULL };
	int status = read_options(argc, argv, &options);
	struct capture capture;

	if (status >= 0)
		return status;
	if (capture_open(&capture, options.path)) {
		fprintf(stderr, "netbench: parse: %s: %s\n", options.path, capture.why);
		return EXIT_USAGE;
	}
	if (packet_link_of_type(capture.link_type) < 0) {
		fprintf(stderr,
			"netbench: parse: %s: its link type %u is not known here; these are:",
			options.path, capture.link_type);
		for (int link = 0; link < PACKET_LINKS; link++)
			fprintf(stderr, "%s %s", link ? "," : "",
				packet_link_name((enum packet_link)link));
		fputs("\n", stderr);
		status = EXIT_USAGE;
	} else {
		status = options.bench ? parse_bench(&capture, options.copy)
				       : show(&capture, &options);
	}
	capture_close(&capture);
	return status;
}
