/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * harness copy count: the instructions of a call, from the judge, so exact and the same on every
 * machine. A block for each function and each kind of alignment, a line for each size, a column for
 * each variant; per call, and per 8 bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "harness/copies/copies.h"
#include "harness/copies/copies_result.h"
#include "harness/copies/system.h"
#include "harness/harness.h"
#include "harness/measure/interrupt.h"

static const size_t usual_sizes[] = { 1, 7, 8, 16, 31, 32, 64, 100, 128, 256, 1024, 1448, 4096 };

/* Where the destination and the source lie past a word; all: the mean over the 64 pairs. */
static const struct alignment {
	const char *name;
	unsigned int dst, src;
	bool all;
} alignments[] = {
	{ "both aligned", 0, 0, false },
	{ "both 3 past a word", 3, 3, false },
	{ "destination aligned, source 1 past a word", 0, 1, false },
	{ "destination aligned, source 4 past a word", 0, 4, false },
	{ "mean of all 64 alignments", 0, 0, true },
};
#define ALIGNMENTS (sizeof(alignments) / sizeof(alignments[0]))

static FILE *out;
static struct result *result;

/* Negative: the routine was wrong there, which verify tells more of. */
static double instructions(struct judge *judge, const struct subject *subject, size_t function,
			   size_t bytes, const struct alignment *alignment)
{
	struct judge_call call = {
		.function = (enum copy_function)(1u << function),
		.entry = subject->entry[function],
		.bytes = bytes,
		.value = 0xa5,
		.src_fault = JUDGE_NO_FAULT,
		.dst_fault = JUDGE_NO_FAULT,
	};
	uint64_t total = 0;
	unsigned int calls = 0;

	for (unsigned int dst = 0; dst < 8; dst++) {
		for (unsigned int src = 0; src < 8; src++) {
			struct judge_verdict verdict;

			if (!alignment->all && (dst != alignment->dst || src != alignment->src))
				continue;
			call.dst_align = 64 + dst;
			call.src_align = 64 + src;
			judge_run(judge, &call, &verdict);
			if (!verdict.right)
				return -1;
			total += verdict.counts.instructions;
			calls++;
		}
	}
	return (double)total / calls;
}

static void print_head(const struct subject *subjects, size_t count, size_t function)
{
	fprintf(out, "%8s", "bytes");
	for (size_t i = 0; i < count; i++)
		if (subjects[i].entry[function])
			fprintf(out, "  %18s", subjects[i].variant->name);
	fputc('\n', out);
}

static void print_block(const struct copy_options *options, struct judge *const *judges,
			const struct subject *subjects, size_t count, size_t function,
			const struct alignment *alignment)
{
	char key[96];

	snprintf(key, sizeof(key), "%s, %s", subject_function_name(function), alignment->name);
	fprintf(out, "\n%s, %s: instructions a call (per 8 bytes)\n",
		subject_function_name(function), alignment->name);
	print_head(subjects, count, function);
	for (size_t s = 0; s < options->size_count && !interrupt_seen(); s++) {
		size_t bytes = options->sizes[s];

		fprintf(out, "%8zu", bytes);
		for (size_t i = 0; i < count; i++) {
			double n;

			if (!subjects[i].entry[function])
				continue;
			n = instructions(judges[i], &subjects[i], function, bytes, alignment);
			if (n >= 0)
				copies_result_add(result, key, bytes, NULL, i, n);
			if (n < 0)
				fprintf(out, "  %18s", "wrong");
			else if (bytes == 0)
				fprintf(out, "  %9.1f         ", n);
			else
				fprintf(out, "  %9.1f (%6.2f)", n, 8 * n / (double)bytes);
		}
		fputc('\n', out);
	}
}

static void destroy_judges(struct judge **judges, size_t count)
{
	for (size_t i = 0; judges && i < count; i++)
		judge_destroy(judges[i]);
	free(judges);
}

/* A judge for each subject, since an added one has an image of its own; NULL: no memory. */
static struct judge **create_judges(const struct subject *subjects, size_t count,
				    unsigned int vlenb)
{
	struct judge **judges = calloc(count, sizeof(*judges));

	for (size_t i = 0; judges && i < count; i++) {
		if (!subjects[i].image)
			continue;
		judges[i] = judge_create(subjects[i].image, vlenb);
		if (!judges[i]) {
			destroy_judges(judges, count);
			return NULL;
		}
	}
	return judges;
}

int copies_count(const struct copy_options *given, const struct subject *subjects)
{
	struct copy_options options = *given;
	size_t count = options.variant_count;
	struct judge **judges;

	if (given->in_system)
		return copies_count_system(given, subjects);
	judges = create_judges(subjects, count, options.vlen_bits / 8);
	if (!judges) {
		fputs("harness: copy: no memory\n", stderr);
		return HARNESS_USAGE;
	}
	out = copies_text(given);
	result = copies_result_create("count", "instructions", given);
	if (options.size_count == 0)
		for (size_t i = 0; i < sizeof(usual_sizes) / sizeof(usual_sizes[0]); i++)
			options.sizes[options.size_count++] = usual_sizes[i];
	fprintf(out, "riscv64, VLEN %u; counted by the judge; counts are not time\n",
		options.vlen_bits);
	for (size_t function = 0; function < SUBJECT_FUNCTIONS; function++) {
		if (!subject_any_has(subjects, count, function) ||
		    (options.function < SUBJECT_FUNCTIONS && options.function != function))
			continue;
		for (size_t i = 0; i < ALIGNMENTS; i++)
			print_block(&options, judges, subjects, count, function, &alignments[i]);
	}
	destroy_judges(judges, count);
	return copies_result_finish(result, given) ? HARNESS_GOOD : HARNESS_USAGE;
}
