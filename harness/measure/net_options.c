/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The options of harness net: most stand for a key of [run] and are checked as such. They are laid
 * over the file in order, after --quick, wherever that stands.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/copies/additions.h"
#include "harness/harness.h"
#include "harness/measure/net_options.h"

#define DEFAULT_CONFIGURATION "configs/local.ini"
#define INSTALLED	      "share/netbench/" DEFAULT_CONFIGURATION /* below make's PREFIX */
#define FIRST_KEY	      1000 /* getopt values from here on stand for keys of [run] */

static const char *const run_keys[] = { "columns", "tests", "runs",	  "seconds",
					"omit",	   "seed",  "congestion", "name" };

enum {
	OPTION_QUICK = 1,
	OPTION_ADD,
	OPTION_OUT,
	OPTION_CPU,
	OPTION_SYMBOLS,
	OPTION_COUNT,
	OPTION_JSON,
	OPTION_HELP,
	OPTION_VERSION
};

static const struct option long_options[] = {
	{ "columns", required_argument, NULL, FIRST_KEY },
	{ "tests", required_argument, NULL, FIRST_KEY + 1 },
	{ "runs", required_argument, NULL, FIRST_KEY + 2 },
	{ "seconds", required_argument, NULL, FIRST_KEY + 3 },
	{ "omit", required_argument, NULL, FIRST_KEY + 4 },
	{ "seed", required_argument, NULL, FIRST_KEY + 5 },
	{ "congestion", required_argument, NULL, FIRST_KEY + 6 },
	{ "name", required_argument, NULL, FIRST_KEY + 7 },
	{ "quick", no_argument, NULL, OPTION_QUICK },
	{ "add", required_argument, NULL, OPTION_ADD },
	{ "out", required_argument, NULL, OPTION_OUT },
	{ "cpu", no_argument, NULL, OPTION_CPU },
	{ "count", no_argument, NULL, OPTION_COUNT },
	{ "symbols", no_argument, NULL, OPTION_SYMBOLS },
	{ "json", required_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

static void print_help(FILE *out)
{
	fputs("usage: harness net [CONFIG] [OPTION...]\n"
	      "\n"
	      "Measures network throughput, a row a test, a column a copy routine: the board "
	      "serves\n"
	      "(stock iperf3 -s, or netbench with that routine), a stock iperf3 client is its "
	      "peer.\n"
	      "CONFIG is " DEFAULT_CONFIGURATION
	      " by default, here or as installed: two network\nnamespaces on this machine.\n"
	      "configs/qemu.ini: a virtual RISC-V board, in counts.\n"
	      "\n"
	      "  --quick            a first look in under a minute: 2 runs of 1 s, five columns\n"
	      "  --add FILE[=NAME]  your own routine, FILE.c, .S, .o or .so with a memcpy, as a "
	      "column "
	      "NAME\n"
	      "  --columns LIST     iperf3, none, a variant, ENGINE:VARIANT, or any of them "
	      "\"again\"\n"
	      "  --tests LIST       of tcp-recv, tcp-send, udp-send, udp-recv, named from the "
	      "board\n"
	      "  --runs N           times that each cell is measured\n"
	      "  --seconds N        of each measurement\n"
	      "  --omit N           seconds before it that are not counted\n"
	      "  --seed N           of the order of the cells\n"
	      "  --congestion NAME  TCP congestion control of both ends\n"
	      "  --name NAME        of the run\n"
	      "  --out DIR          where run.json and table.txt go; results/NAME-TIME by default\n"
	      "  --json FILE|-      the result also there; -: on standard output, without the "
	      "table\n"
	      "  --cpu              also print the server's CPU time per gigabyte\n"
	      "  --count            insist on counts of instructions, which a virtual board "
	      "gives by\n"
	      "                     itself (configs/qemu.ini), and another cannot\n"
	      "  --symbols          of counts: the kernel's functions that have the most\n"
	      "  --help, --version\n"
	      "\n"
	      "LISTs are separated by commas. Exit status: 0 all cells were measured, 1 some were "
	      "not,\n"
	      "2 wrong usage or set-up.\n",
	      out);
}

static void set_quick(struct configuration *configuration)
{
	static const char *const quick[][2] = {
		{ "columns", "iperf3, libc, byte, linux-shift, libc again" },
		{ "runs", "2" },
		{ "seconds", "1" },
	};
	struct reason ignored; /* these are good */

	for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++)
		configuration_set(configuration, "run", quick[i][0], quick[i][1], &ignored);
}

/* The options that are not keys. Returns 0, or -1 to end. */
static int take_option(int option, char **argv, struct net_options *options, int *status)
{
	*status = HARNESS_GOOD;
	switch (option) {
	case OPTION_QUICK:
		options->quick = true;
		return 0;
	case OPTION_ADD:
		*status = HARNESS_USAGE;
		return additions_add(optarg) ? 0 : -1;
	case OPTION_OUT:
		options->out = optarg;
		return 0;
	case OPTION_CPU:
		options->cpu = true;
		return 0;
	case OPTION_SYMBOLS:
		options->symbols = true;
		return 0;
	case OPTION_COUNT:
		options->count = true;
		return 0;
	case OPTION_JSON:
		options->json_path = optarg;
		return 0;
	case OPTION_HELP:
		print_help(stdout);
		return -1;
	case OPTION_VERSION:
		puts("harness " NETBENCH_VERSION);
		return -1;
	}
	*status = HARNESS_USAGE;
	fprintf(stderr, "harness: net: %s: %s; the options are:\n", argv[optind - 1],
		option == ':' ? "needs a value" : "no such option, or not spelled out");
	for (const struct option *known = long_options; known->name; known++)
		fprintf(stderr, " --%s", known->name);
	fputc('\n', stderr);
	return -1;
}

/* First pass: all but the keys, which need the file before them. */
static int read_options(int argc, char **argv, struct net_options *options, int *status)
{
	int option;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1)
		if (option < FIRST_KEY && take_option(option, argv, options, status))
			return -1;
	if (optind < argc)
		options->configuration_path = argv[optind++];
	if (optind < argc) {
		fprintf(stderr, "harness: net: %s: only one configuration is taken\n",
			argv[optind]);
		*status = HARNESS_USAGE;
		return -1;
	}
	return 0;
}

/* Second pass: the keys. */
static int lay_over(int argc, char **argv, struct configuration *configuration,
		    struct reason *reason)
{
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
		if (option < FIRST_KEY)
			continue;
		if (configuration_set(configuration, "run", run_keys[option - FIRST_KEY], optarg,
				      reason))
			return reason_prefix(reason, "--%s", run_keys[option - FIRST_KEY]);
	}
	return 0;
}

/* The default one is in the checkout or, if we were called elsewhere, where we are installed. */
static void find_default(struct net_options *options)
{
	char us[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", us, sizeof(us) - 1);
	char *slash;

	if (options->configuration_path)
		return;
	options->configuration_path = DEFAULT_CONFIGURATION;
	if (length <= 0 || !access(DEFAULT_CONFIGURATION, F_OK))
		return;
	us[length] = '\0';
	slash = strrchr(us, '/');
	if (!slash)
		return;
	*slash = '\0';
	if ((size_t)snprintf(options->installed, sizeof(options->installed), "%s/../" INSTALLED,
			     us) < sizeof(options->installed) &&
	    !access(options->installed, F_OK))
		options->configuration_path = options->installed;
}

int net_options_read(int argc, char **argv, struct net_options *options,
		     struct configuration *configuration, int *status)
{
	struct reason reason;

	memset(options, 0, sizeof(*options));
	if (read_options(argc, argv, options, status))
		return -1;
	*status = HARNESS_USAGE;
	find_default(options);
	configuration_default(configuration);
	if (configuration_read(configuration, options->configuration_path, &reason)) {
		reason_print(&reason);
		if (access(options->configuration_path, F_OK))
			fputs("  call it as: harness net CONFIG, where CONFIG is one of the files "
			      "in configs/\n",
			      stderr);
		return -1;
	}
	if (options->quick)
		set_quick(configuration);
	if (lay_over(argc, argv, configuration, &reason) ||
	    configuration_check(configuration, &reason)) {
		reason_print(&reason);
		return -1;
	}
	return 0;
}
