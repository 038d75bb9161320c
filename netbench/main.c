/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* netbench: the table of its subcommands. One file each: serve.c, ... */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "netbench/parse.h"
#include "netbench/serve.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit code */
	const char *help;
} commands[] = {
	{ "serve", serve_main, "serves stock iperf3 clients, and echoes" },
	{ "parse", parse_main, "says what headers the packets of a capture have" },
};

#define COMMANDS   (sizeof(commands) / sizeof(commands[0]))
#define EXIT_USAGE 2

static void print_help(void)
{
	printf("Usage: netbench COMMAND [OPTION]...\n"
	       "Moves bytes over the network through a copy routine of one's choice.\n\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s%s\n", commands[i].name, commands[i].help);
	printf("\n  --help    this; netbench COMMAND --help tells more\n"
	       "  --version print the version\n");
}

static int wrong_command(const char *name)
{
	if (name)
		fprintf(stderr, "netbench: %s: no such command; there are:", name);
	else
		fprintf(stderr, "netbench: a command is missing; there are:");
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(stderr, " %s", commands[i].name);
	fprintf(stderr, "; see netbench --help\n");
	return EXIT_USAGE;
}

static int run(int argc, char **argv)
{
	if (argc < 2)
		return wrong_command(NULL);
	if (strcmp(argv[1], "--help") == 0) {
		print_help();
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("netbench %s\n", NETBENCH_VERSION);
		return 0;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return wrong_command(argv[1]);
}

int main(int argc, char **argv)
{
	int status = run(argc, argv);

	/* What could not be written was not told; on a full disk that is found out here only. */
	if ((fflush(stdout) || ferror(stdout)) && status == 0) {
		fprintf(stderr, "netbench: standard output: %s\n", strerror(errno));
		return EXIT_USAGE;
	}
	return status;
}
