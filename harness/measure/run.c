/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Run: goes through the plan, and keeps in the result whatever was measured so far. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/measure/facts.h"
#include "harness/measure/interrupt.h"
#include "harness/measure/load.h"
#include "harness/measure/plan.h"
#include "harness/measure/progress.h"
#include "harness/measure/run.h"

#define CELL_OVERHEAD_S 0.1 /* beyond the test itself, to begin with */

/* The series beside the cells. */
#define TIMED (1u << SERIES_CPU_S_PER_GB | 1u << SERIES_COPY_NS_PER_BYTE)
#define COUNTED                                                          \
	(1u << SERIES_KERNEL_PER_BYTE | 1u << SERIES_MISALIGNED_PER_KB | \
	 1u << SERIES_MEMCPY_PERCENT | 1u << SERIES_USERCOPY_PERCENT)

static json_t *time_now(void)
{
	char text[32];
	time_t now = time(NULL);
	struct tm utc;

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	return json_string(text);
}

/* A version that is not told is "unknown", since facts are never left out. */
static const char *or_unknown(const char *text)
{
	return *text ? text : "unknown";
}

static json_t *create_facts(struct bench *bench, const char *command)
{
	const struct configuration *configuration = bench->configuration;
	json_t *facts = facts_gather(bench->hosts.board);
	json_t *ours = json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:I, s:i, s:i, s:s, s:s, s:o}", "harness",
		NETBENCH_VERSION, "netbench", or_unknown(bench->board_programs->netbench_version),
		"iperf3", or_unknown(bench->board_programs->iperf3_version), "path",
		bench->hosts.path, "congestion", configuration->congestion, "runs",
		(int)configuration->runs, "seconds", (int)configuration->seconds, "omit",
		(int)configuration->omit, "seed", (json_int_t)configuration->seed, "board_cpu",
		(int)host_cpu(bench->hosts.board), "peer_cpu", (int)host_cpu(bench->hosts.peer),
		"board_address", host_address(bench->hosts.board), "peer_address",
		host_address(bench->hosts.peer), "command", result_string(command));

	if (!facts || !ours || json_object_update(facts, ours)) {
		json_decref(facts);
		facts = NULL;
	}
	json_decref(ours);
	return facts;
}

/* "model, 4 CPUs, KVM" */
static json_t *describe_board(const json_t *facts)
{
	const char *hypervisor = json_string_value(json_object_get(facts, "virtualization"));
	json_int_t cpus = json_integer_value(json_object_get(facts, "cpus"));
	bool bare = !strcmp(hypervisor, "none");

	return json_sprintf("%s, %d %s%s%s", json_string_value(json_object_get(facts, "machine")),
			    (int)cpus, cpus == 1 ? "CPU" : "CPUs", bare ? "" : ", ",
			    bare ? "" : hypervisor);
}

static json_t *create_head(struct bench *bench, const char *command)
{
	json_t *facts = create_facts(bench, command);

	if (!facts)
		return NULL;
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:b, s:o, s:o, s:o, s:[]}", "schema",
			 RESULT_SCHEMA, "kind", "net", "name", bench->configuration->name, "source",
			 "harness " NETBENCH_VERSION, "board", describe_board(facts), "unit",
			 host_counts(bench->hosts.board) ? "instructions/byte" : "Mbit/s",
			 "partial", 0, "started", time_now(), "finished", time_now(), "facts",
			 facts, "notes");
}

static json_t *create_column(const struct column *column)
{
	json_t *fields = json_pack("{s:s, s:s}", "id", column->id, "program",
				   column->program == COLUMN_IPERF3 ? "iperf3" : "netbench");

	if (fields && column->program == COLUMN_NETBENCH)
		json_object_set_new(fields, "copy", json_string(column->copy));
	if (fields && *column->kernel)
		json_object_set_new(fields, "kernel", json_string(column->kernel));
	if (fields && *column->engine)
		json_object_set_new(fields, "engine_asked", json_string(column->engine));
	return fields;
}

/* A row with its settings; on a path without an MTU of ours, with the one that is in force. */
static json_t *create_row(struct bench *bench, int test)
{
	const struct test_configuration *wanted = &bench->configuration->test[test];
	unsigned int mtu_board = wanted->mtu_board, mtu_peer = wanted->mtu_peer;

	if (!strcmp(bench->hosts.path, "loopback"))
		mtu_board = mtu_peer = host_mtu(bench->hosts.board);
	return json_pack("{s:s, s:i, s:i, s:i, s:I}", "test", test_kinds[test].name, "mtu_board",
			 (int)mtu_board, "mtu_peer", (int)mtu_peer, "length", (int)wanted->length,
			 "rate_bits_per_s", (json_int_t)wanted->rate_bits_per_s);
}

struct result *run_create_result(struct bench *bench, const char *command, struct reason *reason)
{
	const struct configuration *configuration = bench->configuration;
	struct result *result = result_create(create_head(bench, command));
	bool whole = result;

	for (size_t i = 0; whole && i < configuration->column_count; i++)
		whole = !result_add_column(result, create_column(&configuration->columns[i]));
	for (size_t i = 0; whole && i < configuration->test_count; i++) {
		int test = configuration->tests[i];

		whole = !result_add_row(result, create_row(bench, test),
					(host_counts(bench->hosts.board) ? COUNTED : TIMED) |
						(test_kinds[test].udp ? 1u << SERIES_LOSS : 0));
	}
	if (!whole) {
		result_destroy(result);
		reason_no_memory(reason);
		return NULL;
	}
	if (*bench->hosts.note.text)
		result_add_note(result, bench->hosts.note.text);
	for (size_t i = 0; i < configuration->test_count; i++)
		if (test_kinds[configuration->tests[i]].udp &&
		    !cell_loss_is_told(bench, configuration->tests[i]))
			result_add_note(result,
					"iperf3 before 3.14 cannot tell the loss of udp-recv if "
					"seconds are omitted");
	return result;
}

/* What the row says of each column in words, the last time: null until it is told. */
static void keep_text(struct result *result, const char *key, size_t row, size_t column,
		      const char *text)
{
	json_t *fields = result->rows[row].fields;
	json_t *array = json_object_get(fields, key);

	if (!array) {
		array = json_array();
		for (size_t i = 0; array && i < result->column_count; i++)
			json_array_append_new(array, json_null());
		json_object_set_new(fields, key, array);
	}
	if (*text)
		json_array_set_new(array, column, json_string(text));
}

/* A negative figure is one that is not told. */
static int keep_figure(struct result_row *row, enum result_series series, size_t column,
		       double figure)
{
	return row->series[series] && figure >= 0 ? series_add(&row->series[series][column], figure)
						  : 0;
}

static int keep_figures(struct bench *bench, struct result *result, const struct planned_cell *cell,
			const struct cell_figures *figures)
{
	struct result_row *row = &result->rows[cell->row];

	if (keep_figure(row, SERIES_CELLS, cell->column,
			host_counts(bench->hosts.board) ? figures->instructions_per_byte
							: figures->mbit_per_s) ||
	    keep_figure(row, SERIES_KERNEL_PER_BYTE, cell->column, figures->kernel_per_byte) ||
	    keep_figure(row, SERIES_MISALIGNED_PER_KB, cell->column, figures->misaligned_per_kb) ||
	    keep_figure(row, SERIES_MEMCPY_PERCENT, cell->column, figures->memcpy_percent) ||
	    keep_figure(row, SERIES_USERCOPY_PERCENT, cell->column, figures->usercopy_percent) ||
	    keep_figure(row, SERIES_LOSS, cell->column, figures->loss_percent) ||
	    keep_figure(row, SERIES_CPU_S_PER_GB, cell->column, figures->cpu_s_per_gb) ||
	    keep_figure(row, SERIES_COPY_NS_PER_BYTE, cell->column, figures->copy_ns_per_byte))
		return -1;
	if (!test_kinds[bench->configuration->tests[cell->row]].udp)
		keep_text(result, "congestion", cell->row, cell->column, figures->congestion);
	if (*figures->symbols)
		keep_text(result, "symbols", cell->row, cell->column, figures->symbols);
	json_object_set_new(result->columns[cell->column].fields, "server",
			    json_string(figures->server));
	return 0;
}

/* A figure that was not had at once is kept, but not in silence. */
static void note_second_attempt(struct bench *bench, struct result *result,
				const struct planned_cell *cell, const struct reason *why)
{
	const struct configuration *configuration = bench->configuration;
	char note[sizeof(why->text) + 128];

	snprintf(note, sizeof(note),
		 "%s under %s, run %u: good at the second attempt; the first: %s",
		 test_kinds[configuration->tests[cell->row]].name,
		 configuration->columns[cell->column].id, cell->run, why->text);
	result_add_note(result, note);
}

/* One cell, with its second attempt. Returns 0, or -1: no memory to keep it. */
static int measure_planned(struct bench *bench, struct result *result,
			   const struct planned_cell *cell, enum cell_status *status)
{
	const struct configuration *configuration = bench->configuration;
	struct cell_figures figures;
	struct reason why[2];
	int attempt;

	*status = CELL_FAILED;
	for (attempt = 0; attempt < 2 && *status == CELL_FAILED; attempt++) {
		*status = cell_measure(bench, &configuration->columns[cell->column],
				       configuration->tests[cell->row], &figures, &why[attempt]);
		if (*status == CELL_FAILED)
			host_recover(bench->hosts.board, &why[attempt]);
	}
	if (*status == CELL_FAILED)
		return result_add_failure(result, cell->row, cell->column, cell->run, why[1].text);
	if (*status == CELL_GOOD && attempt == 2)
		note_second_attempt(bench, result, cell, &why[0]);
	return *status == CELL_GOOD ? keep_figures(bench, result, cell, &figures) : 0;
}

static void show(struct progress *progress, const struct configuration *configuration,
		 const struct planned_cell *cell, size_t done)
{
	char what[128];

	snprintf(what, sizeof(what), "%s under %s, run %u of %u",
		 test_kinds[configuration->tests[cell->row]].name,
		 configuration->columns[cell->column].id, cell->run, configuration->runs);
	progress_show(progress, done, what);
}

/* Writes what is there, with what is known by now. */
static int save(struct bench *bench, struct result *result, const struct load *before, bool partial,
		const char *path, struct reason *reason)
{
	json_t *facts = json_object_get(result->head, "facts");
	double others_percent, stolen_percent;
	struct load now;

	json_object_set_new(result->head, "partial", json_boolean(partial));
	json_object_set_new(result->head, "finished", time_now());
	if (before->all_s > 0 && load_read(bench->hosts.board, &now)) {
		load_between(before, &now, &others_percent, &stolen_percent);
		json_object_set_new(facts, "others_percent", json_real(others_percent));
		json_object_set_new(facts, "stolen_percent", json_real(stolen_percent));
	}
	return result_write(result, path, reason);
}

static void group_by_kernel(const struct configuration *configuration, struct planned_cell *plan,
			    size_t count)
{
	const char *kernels[CONFIGURATION_COLUMNS_MAX];
	bool any = false;

	for (size_t i = 0; i < configuration->column_count; i++) {
		kernels[i] = configuration->columns[i].kernel;
		any = any || *kernels[i];
	}
	if (any)
		plan_by_kernel(plan, count, kernels);
}

int run_measure(struct bench *bench, struct result *result, const char *path, struct reason *reason)
{
	const struct configuration *configuration = bench->configuration;
	size_t count =
		configuration->runs * configuration->test_count * configuration->column_count;
	size_t done;
	struct planned_cell *plan = plan_create(configuration->runs, configuration->test_count,
						configuration->column_count, configuration->seed);
	struct load before = { 0 };
	struct progress progress;
	int result_status = 0;

	if (!plan)
		return reason_no_memory(reason);
	group_by_kernel(configuration, plan, count);
	if (!load_read(bench->hosts.board, &before))
		before.all_s = 0;
	progress_start(&progress, count,
		       configuration->omit + configuration->seconds + CELL_OVERHEAD_S);
	for (done = 0; done < count && !result_status; done++) {
		enum cell_status status = CELL_INTERRUPTED;

		show(&progress, configuration, &plan[done], done);
		if (!interrupt_seen() && measure_planned(bench, result, &plan[done], &status))
			result_status = reason_no_memory(reason);
		else if (status == CELL_INTERRUPTED)
			break;
		else /* after each cell, as nobody is told before a SIGKILL */
			result_status =
				save(bench, result, &before, done + 1 < count, path, reason);
	}
	progress_clear(&progress);
	free(plan);
	if (!result_status && done < count)
		result_status = save(bench, result, &before, true, path, reason);
	return result_status;
}

size_t run_count_samples(const struct result *result)
{
	size_t samples = 0;

	for (size_t i = 0; i < result->row_count; i++)
		for (size_t j = 0; j < result->column_count; j++)
			samples += result->rows[i].series[SERIES_CELLS][j].count;
	return samples;
}

size_t run_count_failures(const struct result *result)
{
	size_t failures = 0;

	for (size_t i = 0; i < result->row_count; i++)
		failures += json_array_size(json_object_get(result->rows[i].fields, "failed"));
	return failures;
}
