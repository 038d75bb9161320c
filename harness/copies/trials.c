/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What a function is tried with. See trials.h. */
#include "harness/copies/trials.h"

#include <stdio.h>
#include <string.h>

#include "harness/copies/subject.h"

#define WORD_BYTES   8
#define ENOUGH_WRONG 10
#define PAGE_BYTES   4096

const struct trials_range trials_quick = {
	.every_size_to = 160,
	.fault_size_to = 48,
	.overlap_size_to = 40,
	.all_aligned_to = 4097,
	.largest = 64 << 10,
};
const struct trials_range trials_full = {
	.every_size_to = 1088,
	.fault_size_to = 160,
	.overlap_size_to = 160,
	.all_aligned_to = 65537,
	.largest = 4 << 20,
};

/* Beyond every_size_to: where routines change their ways, what networks carry. */
static const size_t larger_sizes[] = {
	319, 320, 767, 768, 769, 1025, 1448, 1460, 8948, 9000, 65507,
};
#define LARGER_SIZES (sizeof(larger_sizes) / sizeof(larger_sizes[0]))
static const unsigned int some_alignments[][2] = { { 0, 0 }, { 5, 5 }, { 3, 6 }, { 2, 6 } };
#define SOME_ALIGNMENTS (sizeof(some_alignments) / sizeof(some_alignments[0]))

/* Sizes of which user copies fault at positions that are far apart only. */
static const size_t larger_fault_sizes[] = { 64, 71, 72, 127, 128, 136, 200, 768, 800, 1100 };
#define LARGER_FAULT_SIZES (sizeof(larger_fault_sizes) / sizeof(larger_fault_sizes[0]))

struct trial {
	const struct trials_runner *runner;
	struct trials_result *result;
	const struct trials_range *range;
	struct judge_call call;
};

static void note_fault(struct trials_result *result, const struct judge_verdict *verdict)
{
	result->faults++;
	if (!verdict->late_bytes && !verdict->beyond_bytes)
		result->exact++;
	if (verdict->late_bytes > result->late_bytes)
		result->late_bytes = verdict->late_bytes;
	if (verdict->beyond_bytes > result->beyond_bytes)
		result->beyond_bytes = verdict->beyond_bytes;
	result->no_progress += verdict->no_progress;
}

static void try(struct trial *trial)
{
	struct trials_result *result = trial->result;
	struct judge_verdict verdict;

	if (trial->runner->stops && !result->stopped)
		result->stopped = trial->runner->stops();
	if (result->stopped || result->wrong >= ENOUGH_WRONG)
		return;
	trial->runner->run(trial->runner->context, &trial->call, &verdict);
	if (verdict.not_made) {
		result->not_made++;
		return;
	}
	result->calls++;
	result->misaligned += verdict.counts.misaligned;
	result->edge_bytes += verdict.edge_bytes;
	if (!verdict.right) {
		if (result->wrong++ == 0) {
			result->first_wrong = trial->call;
			memcpy(result->problem, verdict.problem, sizeof(result->problem));
		}
	} else if (trial->call.bytes < TRIALS_HUGE_BYTES &&
		   judge_possible_bytes(&trial->call) < trial->call.bytes) {
		note_fault(result, &verdict);
	}
}

static bool has_source(const struct trial *trial)
{
	return trial->call.function != COPY_MEMSET && trial->call.function != COPY_CLEARUSER;
}

static void show_progress(const struct trial *trial, double part)
{
	if (trial->runner->progress)
		trial->runner->progress(trial->runner->context, part);
}

/* -- without faults ------------------------------------------------------------------------ */

/* Not all near the start of a page: words beside the buffer are there too. */
static void try_aligned(struct trial *trial, size_t bytes, unsigned int dst, unsigned int src)
{
	trial->call.bytes = bytes;
	trial->call.dst_align = 64 + dst;
	trial->call.src_align = 64 + src;
	try(trial);
}

static void some_aligned(struct trial *trial, size_t bytes)
{
	for (size_t i = 0; i < SOME_ALIGNMENTS; i++)
		try_aligned(trial, bytes, some_alignments[i][0], some_alignments[i][1]);
}

static void all_alignments(struct trial *trial, size_t bytes)
{
	if (bytes > trial->range->all_aligned_to) {
		some_aligned(trial, bytes);
		return;
	}
	for (unsigned int dst = 0; dst < WORD_BYTES; dst++)
		for (unsigned int src = 0; src < (has_source(trial) ? WORD_BYTES : 1); src++)
			try_aligned(trial, bytes, dst, src);
}

static void all_sizes(struct trial *trial)
{
	size_t most = trial->range->every_size_to;
	size_t power = 1;

	for (size_t bytes = 0; bytes <= most; bytes++) {
		all_alignments(trial, bytes);
		show_progress(trial, (double)bytes / (double)(most + 1));
	}
	for (size_t i = 0; i < LARGER_SIZES; i++)
		if (larger_sizes[i] > most)
			all_alignments(trial, larger_sizes[i]);
	while (power <= most)
		power *= 2;
	for (; power <= trial->range->largest; power *= 2)
		for (size_t bytes = power - 1; bytes <= power + 1; bytes++)
			all_alignments(trial, bytes);
}

/* Memory ends long before such a size does; a size cut to 32 bits does not get so far. */
static void huge_sizes(struct trial *trial)
{
	trial->call.bytes = TRIALS_HUGE_BYTES;
	for (size_t i = 0; i < SOME_ALIGNMENTS; i++) {
		trial->call.dst_fault = TRIALS_HUGE_ROOM + some_alignments[i][0];
		trial->call.src_fault = TRIALS_HUGE_ROOM + some_alignments[i][1];
		try(trial);
	}
	trial->call.src_fault = trial->call.dst_fault = JUDGE_NO_FAULT;
	if (trial->range->beyond_4_gib)
		try_aligned(trial, TRIALS_HUGE_BYTES, 3, 3);
}

static void all_values(struct trial *trial)
{
	static const int odd_values[] = { -1, -128, 256, 257, 0x1234, 0x7fffffff, -0x7fffffff - 1 };

	trial->call.bytes = 67;
	for (unsigned int align = 0; align < WORD_BYTES; align++) {
		trial->call.dst_align = 64 + align;
		for (trial->call.value = 0; trial->call.value < 256; trial->call.value++)
			try(trial);
		for (size_t i = 0; i < sizeof(odd_values) / sizeof(odd_values[0]); i++) {
			trial->call.value = odd_values[i];
			try(trial);
		}
	}
}

static void all_distances_of(struct trial *trial, size_t bytes)
{
	trial->call.bytes = bytes;
	for (unsigned int align = 0; align < WORD_BYTES; align++) {
		trial->call.src_align = 64 + align;
		for (size_t distance = 1; distance <= bytes + 1; distance++) {
			trial->call.distance = (ptrdiff_t)distance;
			try(trial);
			trial->call.distance = -(ptrdiff_t)distance;
			try(trial);
		}
	}
}

static void all_distances(struct trial *trial)
{
	static const size_t larger[] = { 64, 71, 127, 128, 129, 200, 257, 300 };

	for (size_t bytes = 1; bytes <= trial->range->overlap_size_to; bytes++) {
		all_distances_of(trial, bytes);
		show_progress(trial, (double)bytes / (double)(trial->range->overlap_size_to + 1));
	}
	for (size_t i = 0; i < sizeof(larger) / sizeof(larger[0]); i++)
		if (larger[i] > trial->range->overlap_size_to)
			all_distances_of(trial, larger[i]);
	trial->call.distance = 0;
}

/* -- with faults --------------------------------------------------------------------------- */

/* One buffer faults at a position, which decides how it is aligned; the other has all alignments.
 */
static void fault_at(struct trial *trial, size_t position)
{
	if (!has_source(trial)) {
		trial->call.dst_fault = position;
		try(trial);
		return;
	}
	for (unsigned int align = 0; align < WORD_BYTES; align++) {
		trial->call.src_fault = position;
		trial->call.dst_fault = JUDGE_NO_FAULT;
		trial->call.dst_align = 64 + align;
		try(trial);
		trial->call.src_fault = JUDGE_NO_FAULT;
		trial->call.dst_fault = position;
		trial->call.src_align = 64 + align;
		try(trial);
	}
}

static void all_faults(struct trial *trial)
{
	size_t most = trial->range->fault_size_to;

	for (size_t bytes = 1; bytes <= most; bytes++) {
		trial->call.bytes = bytes;
		for (size_t position = 0; position < bytes; position++)
			fault_at(trial, position);
		show_progress(trial, (double)bytes / (double)(most + 1));
	}
	for (size_t i = 0; i < LARGER_FAULT_SIZES; i++) {
		if (larger_fault_sizes[i] <= most)
			continue;
		trial->call.bytes = larger_fault_sizes[i];
		for (size_t position = 0; position < trial->call.bytes;
		     position += position < 200 ? 1 : 13)
			fault_at(trial, position);
	}
	trial->call.src_fault = trial->call.dst_fault = JUDGE_NO_FAULT;
}

void trials_run(const struct trials_runner *runner, enum copy_function function, uint64_t entry,
		const struct trials_range *range, struct trials_result *result)
{
	struct trial trial = {
		.runner = runner,
		.result = result,
		.range = range,
		.call = {
			.function = function,
			.entry = entry,
			.value = 0xa5,
			.src_fault = JUDGE_NO_FAULT,
			.dst_fault = JUDGE_NO_FAULT,
		},
	};

	*result = (struct trials_result){ 0 };
	all_sizes(&trial);
	if (function == COPY_MEMSET)
		all_values(&trial);
	if (function == COPY_MEMMOVE)
		all_distances(&trial);
	if (judge_may_fault(function))
		all_faults(&trial);
	huge_sizes(&trial);
}

void trials_print_case(const struct judge_call *call, char *text, size_t text_bytes)
{
	size_t function = 0, used;

	while (1u << function != (unsigned int)call->function)
		function++;
	used = (size_t)snprintf(text, text_bytes, "--function %s --size %zu --dst-align %u",
				subject_function_name(function), call->bytes, call->dst_align);
	if (call->function != COPY_MEMSET && call->function != COPY_CLEARUSER && used < text_bytes)
		used += (size_t)snprintf(text + used, text_bytes - used, " --src-align %u",
					 call->src_align);
	if (call->function == COPY_MEMSET && used < text_bytes)
		used += (size_t)snprintf(text + used, text_bytes - used, " --value %d",
					 call->value);
	if (call->distance && used < text_bytes)
		used += (size_t)snprintf(text + used, text_bytes - used, " --distance %td",
					 call->distance);
	if (call->src_fault != JUDGE_NO_FAULT && used < text_bytes)
		used += (size_t)snprintf(text + used, text_bytes - used, " --src-fault %zu",
					 call->src_fault);
	if (call->dst_fault != JUDGE_NO_FAULT && used < text_bytes)
		snprintf(text + used, text_bytes - used, " --dst-fault %zu", call->dst_fault);
}
