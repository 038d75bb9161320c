/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* harness board: finds the job and hands the rest of the command line to it. */
#include <stdio.h>
#include <string.h>

#include "harness/board/board.h"
#include "harness/harness.h"

static const struct board_job {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *summary;
} jobs[] = {
	{ "build", board_build_main,
	  "make its parts: a Debian tree, programs, what it boots into" },
	{ "kernel", board_kernel_main, "build kernels with the routines of variants inside" },
	{ "boot", board_boot_main, "boot it, and leave it running" },
	{ "shell", board_shell_main, "a shell in it" },
	{ "run", board_run_main, "run a command in it, fetch files from it" },
	{ "stop", board_stop_main, "end it" },
};
#define JOBS (sizeof(jobs) / sizeof(jobs[0]))

static int usage(FILE *out, int status)
{
	fputs("usage: harness board JOB ...\n\n", out);
	for (size_t i = 0; i < JOBS; i++)
		fprintf(out, "  %-7s %s\n", jobs[i].name, jobs[i].summary);
	fputs("\nThe virtual board lies in " BOARD_FOLDER
	      " (--folder DIR). harness board JOB --help tells the options of a job.\n",
	      out);
	return status;
}

int board_main(int argc, char **argv)
{
	if (argc < 2)
		return usage(stderr, HARNESS_USAGE);
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return usage(stdout, HARNESS_GOOD);
	for (size_t i = 0; i < JOBS; i++)
		if (!strcmp(argv[1], jobs[i].name))
			return jobs[i].main(argc - 1, argv + 1);
	fprintf(stderr, "harness: board %s: no such job\n", argv[1]);
	return usage(stderr, HARNESS_USAGE);
}
