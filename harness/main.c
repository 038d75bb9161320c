/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * harness: what measures, compares and reports. Finds the subcommand in the table below and hands
 * the rest of the command line to it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "harness/harness.h"

static const struct subcommand {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *arguments;
	const char *summary;
} subcommands[] = {
	{ "net", net_main, "[CONFIG]", "the send/recv table: stock iperf3 against netbench" },
	{ "copy", copy_main, "list|verify|count",
	  "the routines alone: proven, and counted exactly" },
	{ "board", board_main, "JOB", "the virtual board, and kernels with a variant inside" },
	{ "validate", validate_main, "FILE...", "is this a result file, of which version" },
};

#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

static void print_subcommands(FILE *out)
{
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		fprintf(out, "  harness %-8s %-17s %s\n", subcommands[i].name,
			subcommands[i].arguments, subcommands[i].summary);
}

static int usage(FILE *out, int status)
{
	fputs("usage: harness SUBCOMMAND ...\n\n", out);
	print_subcommands(out);
	fputs("\nharness SUBCOMMAND --help tells its options.\n", out);
	return status;
}

static int run(int argc, char **argv)
{
	if (argc < 2)
		return usage(stderr, HARNESS_USAGE);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage(stdout, HARNESS_GOOD);
	if (!strcmp(argv[1], "--version")) {
		puts("harness " NETBENCH_VERSION);
		return HARNESS_GOOD;
	}
	for (size_t i = 0; i < SUBCOMMANDS; i++)
		if (!strcmp(argv[1], subcommands[i].name))
			return subcommands[i].main(argc - 1, argv + 1);

	fprintf(stderr, "harness: %s: no such subcommand; there are:\n", argv[1]);
	print_subcommands(stderr);
	return HARNESS_USAGE;
}

int main(int argc, char **argv)
{
	/* A caller that ignores it would keep us from hearing how our children end. */
	signal(SIGCHLD, SIG_DFL);
	int status = run(argc, argv);

	/* What could not be written was not told; on a full disk that is found out here only. */
	if ((fflush(stdout) || ferror(stdout)) && status == HARNESS_GOOD) {
		fprintf(stderr, "harness: standard output: %s\n", strerror(errno));
		return HARNESS_USAGE;
	}
	return status;
}
