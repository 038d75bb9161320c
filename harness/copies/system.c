/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * System: the virtual board is booted with one CPU, on which virtual time follows instructions; all
 * calls are handed to netbench-calls in it, and its counts are read in the same order.
 */
#define _GNU_SOURCE /* open_memstream() */
#include "harness/copies/system.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/board/machine.h"
#include "harness/copies/additions.h"
#include "harness/copies/copies.h"
#include "harness/copies/copies_result.h"
#include "harness/counter/mark.h"
#include "harness/harness.h"
#include "harness/host/counter.h"
#include "harness/host/interface.h"
#include "harness/measure/counts.h"
#include "harness/measure/interrupt.h"

#define FIRST_PORT    2400
#define PORTS	      200
#define CALL_OVERHEAD 2 /* of netbench-calls: the mark, and the jump into the routine */
#define EMPTY_ROUTINE 1 /* its return */
#define FUNCTIONS     4 /* memcpy, memmove, memset, usercopy: those that the program calls */

static const size_t usual_sizes[] = { 0,   1,	7,   8,	  15,	16,   31,  64,
				      100, 127, 128, 256, 1000, 1448, 4096 };
static const struct {
	unsigned int dst, src;
} alignments[] = { { 0, 0 }, { 3, 3 }, { 0, 1 }, { 0, 4 }, { 5, 2 } };
#define ALIGNMENTS (sizeof(alignments) / sizeof(alignments[0]))

struct cell {
	const struct subject *subject;
	size_t function;
	size_t bytes;
	unsigned int dst, src;
	bool none; /* it does not run there */
	struct count_numbers counted;
};

struct plan {
	struct cell *cells;
	size_t count;
};

/* -- what is called ------------------------------------------------------------------------- */

static bool add_cell(struct plan *plan, const struct cell *cell)
{
	if (!(plan->count & (plan->count - 1))) {
		void *more = realloc(plan->cells,
				     (plan->count ? 2 * plan->count : 1) * sizeof(*plan->cells));

		if (!more)
			return false;
		plan->cells = more;
	}
	plan->cells[plan->count++] = *cell;
	return true;
}

/* What the board does not have, or has no room for. */
static int check(const struct copy_options *options, const struct subject *subjects,
		 struct reason *reason)
{
	for (size_t i = 0; i < options->size_count; i++)
		if (options->sizes[i] > COUNTER_CALL_BYTES_MAX)
			return reason_set(reason, "--sizes %zu: at most %u bytes",
					  options->sizes[i], COUNTER_CALL_BYTES_MAX);
	for (size_t i = 0; i < options->variant_count; i++)
		if (additions_have(subjects[i].variant))
			return reason_set(reason,
					  "--add: the board has copylib's own routines alone; "
					  "without --system the judge counts yours");
	return 0;
}

static bool make_plan(const struct copy_options *options, const struct subject *subjects,
		      struct plan *plan)
{
	const size_t *sizes = options->size_count ? options->sizes : usual_sizes;
	size_t size_count = options->size_count ? options->size_count
						: sizeof(usual_sizes) / sizeof(usual_sizes[0]);
	bool whole = true;

	for (size_t i = 0; i < options->variant_count; i++)
		for (size_t function = 0; function < FUNCTIONS; function++)
			for (size_t a = 0; a < ALIGNMENTS; a++)
				for (size_t s = 0; s < size_count; s++) {
					const struct cell cell = { .subject = &subjects[i],
								   .function = function,
								   .bytes = sizes[s],
								   .dst = alignments[a].dst,
								   .src = alignments[a].src };

					if (subjects[i].entry[function] &&
					    (options->function == SUBJECT_FUNCTIONS ||
					     options->function == function))
						whole = whole && add_cell(plan, &cell);
				}
	return whole;
}

/* The lines for netbench-calls; the first is the empty routine. To be freed; NULL: no memory. */
static char *describe(const struct plan *plan)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	fputs("- - 0 0 0\n", out);
	for (size_t i = 0; i < plan->count; i++)
		fprintf(out, "%s %s %zu %u %u\n", plan->cells[i].subject->variant->name,
			subject_function_name(plan->cells[i].function), plan->cells[i].bytes,
			plan->cells[i].dst, plan->cells[i].src);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* -- counting ------------------------------------------------------------------------------- */

static int run_calls(struct machine *machine, const char *lines, char **answer,
		     struct reason *reason)
{
	int status = ssh_run(machine_ssh(machine), "netbench-calls", lines, answer, reason);

	if (status > 0)
		reason_set(reason,
			   "netbench-calls, in the board, failed with %d; build the board "
			   "anew: harness board build",
			   status);
	return status ? -1 : 0;
}

/* Each call is counted twice, and only the second time holds. */
static int read_call(FILE *file, struct count_numbers *counted, struct reason *reason)
{
	struct counts counts;

	for (int i = 0; i < 2; i++) {
		int got = counts_next(file, &counts, reason);

		if (got <= 0)
			return got < 0 ? -1 : reason_set(reason, "there are too few counts");
		*counted = counts.server_user;
		counts_free(&counts);
	}
	return 0;
}

static int read_counts(FILE *file, struct plan *plan, const char *answer, struct reason *reason)
{
	struct count_numbers empty;

	if (read_call(file, &empty, reason))
		return -1;
	if (empty.instructions != CALL_OVERHEAD + EMPTY_ROUTINE || empty.loads || empty.stores)
		return reason_set(reason,
				  "a routine that only returns was counted with %llu instructions, "
				  "%llu loads and %llu stores instead of %d, 0 and 0",
				  (unsigned long long)empty.instructions,
				  (unsigned long long)empty.loads, (unsigned long long)empty.stores,
				  CALL_OVERHEAD + EMPTY_ROUTINE);
	answer += strcspn(answer, "\n");
	for (size_t i = 0; i < plan->count; i++) {
		answer += *answer == '\n';
		plan->cells[i].none = strncmp(answer, "done", 4) != 0;
		answer += strcspn(answer, "\n");
		if (plan->cells[i].none)
			continue;
		if (read_call(file, &plan->cells[i].counted, reason))
			return -1;
		plan->cells[i].counted.instructions -= CALL_OVERHEAD;
	}
	return 0;
}

static int choose_port(unsigned int *port, struct reason *reason)
{
	for (*port = FIRST_PORT; *port < FIRST_PORT + PORTS; ++*port)
		if (interface_port_is_free("127.0.0.1", *port))
			return 0;
	return reason_set(reason, "no free port of %d to %d for the board's SSH", FIRST_PORT,
			  FIRST_PORT + PORTS - 1);
}

static int count_in(const char *scratch, struct plan *plan, struct reason *reason)
{
	char plugin[PATH_MAX + 200], console[BOARD_PATH_SIZE], path[128];
	struct machine_options options = { .folder = BOARD_FOLDER,
					   .kernel = MACHINE_DEFAULT_KERNEL,
					   .cpu = "rva23s64",
					   .cores = 1,
					   .memory_mib = MACHINE_DEFAULT_MEMORY_MIB,
					   .nic = MACHINE_DEFAULT_NIC,
					   .limit_s = MACHINE_DEFAULT_LIMIT_S,
					   .by_instructions = true,
					   .plugin = plugin,
					   .console = console };
	char *lines = describe(plan), *answer = NULL;
	struct machine *machine = NULL;
	FILE *file = NULL;
	int status = -1;

	if (!lines)
		return reason_no_memory(reason);
	snprintf(path, sizeof(path), "%s/counts", scratch);
	if (board_path(console, reason, BOARD_FOLDER, "log/console-%d.log", (int)getpid()) ||
	    counter_option(scratch, plugin, sizeof(plugin), reason) ||
	    choose_port(&options.ssh_port, reason))
		goto out;
	machine = machine_start(&options, reason);
	if (!machine || run_calls(machine, lines, &answer, reason))
		goto out;
	machine_close(machine);
	machine = NULL;
	unlink(console);
	file = fopen(path, "re");
	if (!file)
		reason_set(reason, "%s: %s", path, strerror(errno));
	else
		status = read_counts(file, plan, answer, reason);
out:
	if (file)
		fclose(file);
	machine_close(machine);
	free(answer);
	free(lines);
	return status;
}

/* -- the judge's word, and both in words ---------------------------------------------------- */

static bool agrees(struct judge *judge, const struct cell *cell, struct rv64_counts *judged)
{
	const struct judge_call call = { .function = (enum copy_function)(1u << cell->function),
					 .entry = cell->subject->entry[cell->function],
					 .bytes = cell->bytes,
					 .value = 0xa5,
					 .dst_align = 64 + cell->dst,
					 .src_align = 64 + cell->src,
					 .src_fault = JUDGE_NO_FAULT,
					 .dst_fault = JUDGE_NO_FAULT };
	struct judge_verdict verdict;

	judge_run(judge, &call, &verdict);
	*judged = verdict.counts;
	if (!verdict.right || judged->instructions != cell->counted.instructions)
		return false;
	/* Of a vector access the judge counts one, QEMU each element. */
	if (cell->subject->variant->needs & COPY_NEED_V)
		return true;
	return judged->loads == cell->counted.loads && judged->stores == cell->counted.stores &&
	       judged->misaligned == count_misaligned(&cell->counted);
}

static void print_cell(FILE *out, const struct cell *cell, const struct rv64_counts *judged,
		       bool same)
{
	fprintf(out, "%-18s %-8s %7zu  %u/%u %12llu %8llu %8llu %8llu%s\n",
		cell->subject->variant->name, subject_function_name(cell->function), cell->bytes,
		cell->dst, cell->src, (unsigned long long)cell->counted.instructions,
		(unsigned long long)cell->counted.loads, (unsigned long long)cell->counted.stores,
		(unsigned long long)count_misaligned(&cell->counted),
		same ? "" : "  the judge has others:");
	if (!same)
		fprintf(out, "%-40s %12llu %8llu %8llu %8llu\n", "",
			(unsigned long long)judged->instructions, (unsigned long long)judged->loads,
			(unsigned long long)judged->stores, (unsigned long long)judged->misaligned);
}

static void print(const struct copy_options *options, const struct subject *subjects,
		  const struct plan *plan, struct result *result, size_t *tried, size_t *same)
{
	FILE *out = copies_text(options);
	struct judge *judge = NULL;
	const struct subject *of = NULL;

	fprintf(out,
		"riscv64; counted in QEMU's system by user instructions, and by the judge\n\n"
		"%-18s %-8s %7s  %s %12s %8s %8s %8s\n",
		"variant", "function", "bytes", "d/s", "instructions", "loads", "stores",
		"misalign");
	for (size_t i = 0; i < plan->count; i++) {
		const struct cell *cell = &plan->cells[i];
		struct rv64_counts judged;
		char key[64];
		bool agreed;

		if (cell->none)
			continue;
		if (cell->subject != of) {
			judge_destroy(judge);
			of = cell->subject;
			judge = judge_create(of->image, options->vlen_bits / 8);
		}
		agreed = judge && agrees(judge, cell, &judged);
		++*tried;
		*same += agreed;
		if (judge)
			print_cell(out, cell, &judged, agreed);
		snprintf(key, sizeof(key), "%s, %u and %u past a word, in QEMU's system",
			 subject_function_name(cell->function), cell->dst, cell->src);
		copies_result_add(result, key, cell->bytes, NULL, (size_t)(of - subjects),
				  (double)cell->counted.instructions);
	}
	judge_destroy(judge);
	fprintf(out, "\n%zu of %zu calls are the same in all four counts\n", *same, *tried);
}

int copies_count_system(const struct copy_options *options, const struct subject *subjects)
{
	struct plan plan = { .count = 0 };
	struct reason reason;
	struct result *result;
	char scratch[64];
	size_t tried = 0, same = 0;
	int status;

	if (check(options, subjects, &reason)) {
		status = -1;
	} else if (!make_plan(options, subjects, &plan)) {
		reason_no_memory(&reason);
		status = -1;
	} else if (!plan.count) {
		status =
			reason_set(&reason, "none of these has code for the judge and for a board");
	} else if (interrupt_open()) {
		status = reason_set(&reason, "signals cannot be watched: %s", strerror(errno));
	} else if (counter_make_folder(scratch, sizeof(scratch), &reason)) {
		status = -1;
	} else {
		status = count_in(scratch, &plan, &reason);
		counter_clean(scratch);
	}
	if (status) {
		reason_prefix(&reason, "copy count --system");
		reason_print(&reason);
		free(plan.cells);
		return HARNESS_USAGE;
	}
	result = copies_result_create("count", "instructions", options);
	print(options, subjects, &plan, result, &tried, &same);
	free(plan.cells);
	if (!copies_result_finish(result, options))
		return HARNESS_USAGE;
	return tried && same == tried ? HARNESS_GOOD : HARNESS_FAILED;
}
