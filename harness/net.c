/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * harness net: the send/recv table. Reads what is asked for, opens the two hosts, measures, and
 * shows: each of these is a file of its own in measure/ and host/.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/copies/additions.h"
#include "harness/harness.h"
#include "harness/measure/emulator.h"
#include "harness/measure/folder.h"
#include "harness/measure/interrupt.h"
#include "harness/measure/net_options.h"
#include "harness/measure/plan.h"
#include "harness/measure/run.h"
#include "harness/measure/table.h"

#define TABLE_WIDTH 100

/* The command line in one piece, for the record; what does not fit is cut. */
static void describe_command(int argc, char **argv, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "harness");

	for (int i = 0; i < argc && used < size; i++)
		used += (size_t)snprintf(text + used, size - used,
					 strchr(argv[i], ' ') ? " '%s'" : " %s", argv[i]);
}

static int write_table(const struct result *result, const char *path,
		       const struct table_options *options, struct reason *reason)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	table_print(file, result, options);
	if (ferror(file) | fclose(file))
		return reason_set(reason, "%s: %s", path, strerror(errno));
	return 0;
}

/*
 * Shows the result and writes what is asked for beside run.json, which is there already. What was
 * measured is shown first: it may have taken long, and not all places may take it.
 */
static int show(const struct result *result, const struct net_options *options,
		const struct folder *folder, struct reason *reason)
{
	const struct table_options table = { .width = TABLE_WIDTH,
					     .cpu = options->cpu,
					     .symbols = options->symbols };
	bool json_on_stdout = options->json_path && !strcmp(options->json_path, "-");

	int status = 0;

	if (!json_on_stdout) {
		table_print(stdout, result, &table);
		printf("kept in %s\n", folder->path);
		if (fflush(stdout))
			status = reason_set(reason, "standard output: %s", strerror(errno));
	}
	if (write_table(result, folder->table_txt, &table, reason))
		status = -1;
	if (options->json_path && result_write(result, options->json_path, reason))
		status = -1;
	return status;
}

/* Makes the places where results go, so that a run does not fail at its end. */
static int make_places(const struct net_options *options, const char *name, struct folder *folder,
		       struct reason *reason)
{
	FILE *file;

	if (options->json_path && strcmp(options->json_path, "-")) {
		file = fopen(options->json_path, "ae");
		if (!file)
			return reason_set(reason, "--json %s: %s", options->json_path,
					  strerror(errno));
		fclose(file);
	}
	return folder_make(folder, options->out, name, reason);
}

/* Returns the exit status, or -1 with the reason. */
static int measure(struct bench *bench, const struct net_options *options, const char *command,
		   struct reason *reason)
{
	struct result *result = run_create_result(bench, command, reason);
	struct folder folder = { .made = false };
	int status = -1;

	if (!result)
		return -1;
	if (options->quick)
		result_add_note(result,
				"--quick: a first look; harness net without it measures longer, "
				"and more columns");
	for (size_t i = 0; additions_path(i); i++) {
		char note[PATH_MAX + 64];

		snprintf(note, sizeof(note), "a column added from %s", additions_path(i));
		result_add_note(result, note);
	}
	if (make_places(options, bench->configuration->name, &folder, reason))
		goto out;
	if (run_measure(bench, result, folder.run_json, reason) ||
	    show(result, options, &folder, reason))
		goto out;
	status = interrupt_seen() || run_count_failures(result) ? HARNESS_FAILED : HARNESS_GOOD;
	if (!run_count_samples(result))
		fputs("harness: no cell has been measured\n", stderr);
out:
	folder_unmake(&folder);
	result_destroy(result);
	return status;
}

/* Everything between open hosts and closed ones. */
static int use_hosts(struct bench *bench, const struct net_options *options, const char *command,
		     struct reason *reason)
{
	const char *emulator = emulator_of(bench->hosts.board);
	const char *congestion = bench->configuration->congestion;

	if (options->count && !host_counts(bench->hosts.board))
		return reason_set(reason, "--count: only a virtual board counts: harness net "
					  "configs/qemu.ini --count");
	if (emulator && !host_counts(bench->hosts.board))
		return reason_set(reason,
				  "the board is emulated (%s): times taken there are not "
				  "performance, so none "
				  "are taken; harness net configs/qemu.ini counts instructions "
				  "on a virtual board",
				  emulator);
	if (host_check_congestion(bench->hosts.board, congestion, reason) ||
	    host_check_congestion(bench->hosts.peer, congestion, reason))
		return -1;
	return measure(bench, options, command, reason);
}

int net_main(int argc, char **argv)
{
	struct configuration *configuration = malloc(sizeof(*configuration));
	struct programs programs[2];
	struct bench bench = { .configuration = configuration,
			       .client_extra_s = BENCH_CLIENT_EXTRA_S,
			       .board_programs = &programs[0],
			       .peer_programs = &programs[1] };
	struct net_options options;
	struct reason reason;
	char command[512];
	int status = HARNESS_USAGE;

	if (!configuration) {
		reason_no_memory(&reason);
		goto fail;
	}
	if (net_options_read(argc, argv, &options, configuration, &status))
		goto out;
	if (additions_path(0) && !strcmp(configuration->board.host, "qemu")) {
		reason_set(&reason,
			   "--add %s: a virtual board runs kernels that have the routine "
			   "inside: harness board kernel NAME --add %s, and then the "
			   "column kernel:NAME",
			   additions_path(0), additions_path(0));
		goto fail;
	}
	if (!additions_verify(&status))
		goto out;
	if (!configuration->seed)
		configuration->seed = plan_seed_from_time();
	describe_command(argc, argv, command, sizeof(command));
	if (interrupt_open()) {
		reason_set(&reason, "signals cannot be watched: %s", strerror(errno));
		goto fail;
	}
	if (hosts_open(&configuration->board, &configuration->peer, &bench.hosts, &reason))
		goto fail;
	status = programs_find(bench.hosts.board, &programs[0], &reason) ||
				 programs_find(bench.hosts.peer, &programs[1], &reason)
			 ? -1
			 : use_hosts(&bench, &options, command, &reason);
	/* A table tells it; without one, what was used instead may explain why there is none. */
	if (status < 0 && *bench.hosts.note.text)
		reason_print(&bench.hosts.note);
	hosts_close(&bench.hosts);
	if (status >= 0)
		goto out;
fail:
	reason_print(&reason);
	status = HARNESS_USAGE;
out:
	additions_free();
	free(configuration);
	return status;
}
