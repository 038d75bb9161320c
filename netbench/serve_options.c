/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The command line of `netbench serve`. Options are one table, which getopt, the help and the list
 * of valid ones are made of.
 */
#include "netbench/serve_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copylib/added.h"
#include "copylib/copylib.h"
#include "netbench/cache.h"
#include "netbench/copy_choice.h"
#include "netbench/flow_buffer.h"

#define PORT_DEFAULT   5201
#define RING_BYTES_MAX ((size_t)1 << 30)

enum option_index {
	OPTION_PORT,
	OPTION_BIND,
	OPTION_ECHO_PORT,
	OPTION_ADD,
	OPTION_COPY,
	OPTION_ENGINE,
	OPTION_ALIGN,
	OPTION_RING,
	OPTION_SLOT,
	OPTION_WORKERS,
	OPTION_ONE_OFF,
	OPTION_JSON,
	OPTION_QUIET,
	OPTION_HELP,
	OPTION_VERSION,
	OPTIONS,
};

static const struct {
	const char *name;
	const char *argument; /* NULL: none */
	const char *help;
} option_table[OPTIONS] = {
	[OPTION_PORT] = { "port", "PORT", "iperf3 protocol, TCP and UDP (5201; 0: any free one)" },
	[OPTION_BIND] = { "bind", "ADDRESS", "listen on this address only" },
	[OPTION_ECHO_PORT] = { "echo-port", "PORT", "echo, TCP and UDP (port + 1; 0: none)" },
	[OPTION_ADD] = { "add", "FILE.so[=NAME]",
			 "a shared object whose memcpy becomes a variant; it is\n"
			 "trusted: try it by harness copy verify --add" },
	[OPTION_COPY] = { "copy", "VARIANT", "copy routine of the data path, or none (libc)" },
	[OPTION_ENGINE] = { "engine", "ENGINE", "how bytes move (auto: the first that works)" },
	[OPTION_ALIGN] = { "align", "SRC,DST", "addresses of each copy modulo 64, 0 to 63 (0,0)" },
	[OPTION_RING] = { "ring", "BYTES",
			  "application buffer of a worker (128K); cold: twice\n"
			  "the last-level cache" },
	[OPTION_SLOT] = { "slot", "BYTES",
			  "TCP receive buffers that the kernel fills (the engine's)" },
	[OPTION_WORKERS] = { "workers", "N", "threads that move bytes (one a CPU)" },
	[OPTION_ONE_OFF] = { "one-off", NULL, "exit after one test" },
	[OPTION_JSON] = { "json", "FILE",
			  "one JSON object a test on a line of its own; -:\n"
			  "standard output, after the first line" },
	[OPTION_QUIET] = { "quiet", NULL, "no lines about tests" },
	[OPTION_HELP] = { "help", NULL, "this" },
	[OPTION_VERSION] = { "version", NULL, "print the version" },
};

/* -- help and errors ----------------------------------------------------------------------- */

static void list_engines(FILE *stream)
{
	fprintf(stream, "auto");
	for (size_t i = 0; engine_name(i); i++)
		fprintf(stream, ", %s", engine_name(i));
	fprintf(stream, "\n");
}

static void print_help(void)
{
	printf("Usage: netbench serve [OPTION]...\n"
	       "Serves stock iperf3 clients, any number at once, and echoes; every byte goes\n"
	       "through the copy routine under test. Sizes may end in K, M or G.\n\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		char left[32];
		const char *line = option_table[i].help;
		size_t length = strcspn(line, "\n");

		snprintf(left, sizeof(left), "--%s %s", option_table[i].name,
			 option_table[i].argument ? option_table[i].argument : "");
		printf("  %-22s%.*s\n", left, (int)length, line);
		if (line[length])
			printf("  %-22s%s\n", "", line + length + 1);
	}
	printf("\nVARIANT: ");
	copy_list_choices(stdout);
	printf("ENGINE: ");
	list_engines(stdout);
	printf("\nExit: 0 good, 1 the test of --one-off failed, 2 usage or set-up.\n");
}

static enum serve_options_result wrong_option(const char *given)
{
	fprintf(stderr,
		"netbench serve: %s: unknown option, or an argument too much; options are:", given);
	for (size_t i = 0; i < OPTIONS; i++)
		fprintf(stderr, " --%s%s%s", option_table[i].name,
			option_table[i].argument ? " " : "",
			option_table[i].argument ? option_table[i].argument : "");
	fprintf(stderr, "\n");
	return SERVE_OPTIONS_WRONG;
}

static enum serve_options_result value_missing(const char *given)
{
	fprintf(stderr, "netbench serve: %s: a value is missing:", given);
	for (size_t i = 0; i < OPTIONS; i++)
		if (option_table[i].argument &&
		    !strncmp(option_table[i].name, given + 2, strlen(given + 2)))
			fprintf(stderr, " --%s %s", option_table[i].name, option_table[i].argument);
	fprintf(stderr, "\n");
	return SERVE_OPTIONS_WRONG;
}

static bool wrong_value(enum option_index option, const char *value, const char *allowed)
{
	fprintf(stderr, "netbench serve: --%s %s: %s\n", option_table[option].name, value, allowed);
	return false;
}

/* -- values -------------------------------------------------------------------------------- */

/** Reads a whole number up to highest and moves *text behind it. */
static bool read_number(const char **text, unsigned long long highest, unsigned long long *value)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoull(*text, &end, 10);
	*text = end;
	return errno == 0 && *value <= highest;
}

static bool read_port(enum option_index option, const char *value, uint16_t *port)
{
	const char *text = value;
	unsigned long long number;

	if (!read_number(&text, UINT16_MAX, &number) || *text)
		return wrong_value(option, value, "must be a port, 0 to 65535");
	*port = (uint16_t)number;
	return true;
}

static bool read_size(enum option_index option, const char *value, size_t lowest, size_t highest,
		      size_t *size)
{
	static const char suffixes[] = "KMG";
	const char *text = value;
	const char *suffix;
	unsigned long long number;
	char allowed[96];
	unsigned int shift = 0;

	if (read_number(&text, highest, &number)) {
		suffix = *text ? strchr(suffixes, *text) : NULL;
		if (suffix) {
			shift = 10 * (unsigned int)(suffix - suffixes + 1);
			text++;
		}
		if (!*text && number <= (highest >> shift) && (number << shift) >= lowest) {
			*size = (size_t)number << shift;
			return true;
		}
	}
	snprintf(allowed, sizeof(allowed), "must be %zu to %zu bytes; K, M and G may follow%s",
		 lowest, highest, option == OPTION_RING ? "; or cold" : "");
	return wrong_value(option, value, allowed);
}

static bool read_ring(const char *value, struct engine_options *options)
{
	size_t cache_bytes;

	if (strcmp(value, "cold") != 0)
		return read_size(OPTION_RING, value, FLOW_RING_BYTES_MIN, RING_BYTES_MAX,
				 &options->ring_bytes);
	cache_bytes = cache_last_level_bytes();
	if (!cache_bytes)
		return wrong_value(OPTION_RING, value,
				   "this machine does not tell how large its cache is; give bytes");
	options->ring_bytes = 2 * cache_bytes;
	return true;
}

static bool read_align(const char *value, struct engine_options *options)
{
	const char *text = value;
	unsigned long long source, destination;

	if (!read_number(&text, FLOW_ALIGNMENT - 1, &source) || *text++ != ',' ||
	    !read_number(&text, FLOW_ALIGNMENT - 1, &destination) || *text)
		return wrong_value(OPTION_ALIGN, value, "must be two numbers of 0 to 63: SRC,DST");
	options->source_align = (unsigned int)source;
	options->destination_align = (unsigned int)destination;
	return true;
}

static bool read_workers(const char *value, struct engine_options *options)
{
	const char *text = value;
	unsigned long long number;
	char allowed[32];

	snprintf(allowed, sizeof(allowed), "must be 1 to %d", ENGINE_WORKERS_MAX);
	if (!read_number(&text, ENGINE_WORKERS_MAX, &number) || *text || number == 0)
		return wrong_value(OPTION_WORKERS, value, allowed);
	options->workers = (unsigned int)number;
	return true;
}

static bool read_addition(const char *value)
{
	char why[512];

	if (copy_variant_add_file(value, why, sizeof(why)))
		return true;
	fprintf(stderr, "netbench serve: --add %s: %s\n", value, why);
	return false;
}

static bool read_engine(const char *value, const char **engine)
{
	bool found = strcmp(value, "auto") == 0;

	for (size_t i = 0; !found && engine_name(i); i++)
		found = strcmp(value, engine_name(i)) == 0;
	if (!found) {
		fprintf(stderr, "netbench serve: --engine %s: no such engine; there are: ", value);
		list_engines(stderr);
		return false;
	}
	*engine = value;
	return true;
}

/* -- the command line ---------------------------------------------------------------------- */

static bool read_option(enum option_index option, const char *value, struct serve_options *options)
{
	struct engine_options *engine_options = &options->engine_options;

	switch (option) {
	case OPTION_PORT:
		return read_port(option, value, &options->port);
	case OPTION_BIND:
		options->bind_address = value;
		return true;
	case OPTION_ECHO_PORT:
		options->echo_port_given = true;
		return read_port(option, value, &options->echo_port);
	case OPTION_ADD:
		return read_addition(value);
	case OPTION_ENGINE:
		return read_engine(value, &options->engine);
	case OPTION_ALIGN:
		return read_align(value, engine_options);
	case OPTION_RING:
		return read_ring(value, engine_options);
	case OPTION_SLOT:
		return read_size(option, value, ENGINE_SLOT_BYTES_MIN, ENGINE_SLOT_BYTES_MAX,
				 &engine_options->slot_bytes);
	case OPTION_WORKERS:
		return read_workers(value, engine_options);
	case OPTION_ONE_OFF:
		options->one_off = true;
		return true;
	case OPTION_JSON:
		options->json = value;
		return true;
	case OPTION_QUIET:
		options->quiet = true;
		return true;
	default:
		return false;
	}
}

enum serve_options_result serve_options_read(int argc, char **argv, struct serve_options *options)
{
	struct option long_options[OPTIONS + 1] = { 0 };
	const char *copy = NULL;
	int found, index = 0;

	*options = (struct serve_options){ .port = PORT_DEFAULT, .engine = "auto" };
	options->engine_options.ring_bytes = FLOW_RING_BYTES_DEFAULT;
	options->engine_options.copy = copy_variant_find("libc");
	for (int i = 0; i < OPTIONS; i++) {
		long_options[i].name = option_table[i].name;
		long_options[i].has_arg =
			option_table[i].argument ? required_argument : no_argument;
	}
	opterr = 0;
	while ((found = getopt_long(argc, argv, ":", long_options, &index)) != -1) {
		if (found == ':')
			return value_missing(argv[optind - 1]);
		if (found != 0)
			return wrong_option(argv[optind - 1]);
		if (index == OPTION_HELP) {
			print_help();
			return SERVE_OPTIONS_HELP;
		}
		if (index == OPTION_VERSION) {
			printf("netbench %s\n", NETBENCH_VERSION);
			return SERVE_OPTIONS_HELP;
		}
		/* It may be one that a later option adds. */
		if (index == OPTION_COPY)
			copy = optarg;
		else if (!read_option((enum option_index)index, optarg, options))
			return SERVE_OPTIONS_WRONG;
	}
	if (optind < argc)
		return wrong_option(argv[optind]);
	if (copy && !copy_choose("netbench serve", copy, &options->engine_options.copy))
		return SERVE_OPTIONS_WRONG;
	return SERVE_OPTIONS_RUN;
}
