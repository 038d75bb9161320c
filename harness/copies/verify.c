/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * harness copy verify: each variant's riscv64 code in the judge, and a line about each function. A
 * user copy is held to the contract of the kernel too, which the published ones do not keep: how
 * far they depart is told, and is no failure.
 */
#include <stdio.h>
#include <unistd.h>

#include "harness/copies/copies.h"
#include "harness/copies/judged.h"
#include "harness/harness.h"

static void show_progress(void *context, double part)
{
	fprintf(stderr, "\r%-30s %3.0f %%", (const char *)context, 100 * part);
}

static void clear_progress(bool shown)
{
	if (shown)
		fprintf(stderr, "\r%-40s\r", "");
}

static void print_contract(const struct judged *result)
{
	if (result->exact == result->faults) {
		printf("contract exact in %llu faults", (unsigned long long)result->faults);
		return;
	}
	printf("contract: exact in %llu of %llu faults, late by up to %zu bytes",
	       (unsigned long long)result->exact, (unsigned long long)result->faults,
	       result->late_bytes);
	if (result->beyond_bytes)
		printf(", up to %zu bytes written beyond", result->beyond_bytes);
	if (result->no_progress)
		printf(", no progress in %llu cases", (unsigned long long)result->no_progress);
}

static void print_result(const struct subject *subject, size_t function,
			 const struct judged *result)
{
	char repeat[256];

	if (result->wrong) {
		judged_print_case(&result->first_wrong, repeat, sizeof(repeat));
		printf("%-19s %-8s WRONG: %s\n", subject->variant->name,
		       subject_function_name(function), result->problem);
		printf("%-28s again: harness copy verify %s %s\n", "", subject->variant->name,
		       repeat);
		return;
	}
	printf("%-19s %-8s right in %llu calls; misaligned accesses %llu", subject->variant->name,
	       subject_function_name(function), (unsigned long long)result->calls,
	       (unsigned long long)result->misaligned);
	if (result->faults) {
		fputs("; ", stdout);
		print_contract(result);
	}
	putchar('\n');
}

static int verify_subject(const struct copy_options *options, struct judge *judge,
			  const struct subject *subject)
{
	struct judged_range range = options->quick ? judged_quick : judged_full;
	bool shows = isatty(STDERR_FILENO);
	int status = HARNESS_GOOD;

	range.progress = shows ? show_progress : NULL;
	range.context = (void *)subject->variant->name;
	for (size_t function = 0; function < SUBJECT_FUNCTIONS; function++) {
		struct judged result;

		if (!subject->entry[function] ||
		    (options->function < SUBJECT_FUNCTIONS && options->function != function))
			continue;
		judged_function(judge, subject, function, &range, &result);
		clear_progress(shows);
		print_result(subject, function, &result);
		fflush(stdout);
		if (result.wrong)
			status = HARNESS_FAILED;
		/* A variant that does not say it needs them must not make misaligned accesses. */
		if (result.misaligned && !(subject->variant->needs & COPY_NEED_FAST_MISALIGNED)) {
			printf("%-28s WRONG: it makes misaligned accesses and does not say so\n",
			       "");
			status = HARNESS_FAILED;
		}
	}
	return status;
}

static int verify_case(const struct copy_options *options, struct judge *judge,
		       const struct subject *subject)
{
	struct judge_call call = options->call;
	struct judge_verdict verdict;

	call.entry = subject->entry[options->function];
	if (!call.entry) {
		fprintf(stderr, "harness: copy: %s has no %s\n", subject->variant->name,
			subject_function_name(options->function));
		return HARNESS_USAGE;
	}
	judge_run(judge, &call, &verdict);
	printf("%s: %s%s\n", subject->variant->name,
	       verdict.right ? "right" : "WRONG: ", verdict.problem);
	printf("  %llu instructions, %llu loads, %llu stores, %llu misaligned, %llu bytes read "
	       "beside the source\n",
	       (unsigned long long)verdict.counts.instructions,
	       (unsigned long long)verdict.counts.loads, (unsigned long long)verdict.counts.stores,
	       (unsigned long long)verdict.counts.misaligned,
	       (unsigned long long)verdict.edge_bytes);
	if (call.function == COPY_USERCOPY)
		printf("  late by %zu bytes, %zu bytes written beyond\n", verdict.late_bytes,
		       verdict.beyond_bytes);
	return verdict.right ? HARNESS_GOOD : HARNESS_FAILED;
}

int copies_verify(const struct copy_options *options, const struct rv64_image *image)
{
	struct judge *judge = judge_create(image, options->vlen_bits / 8);
	int status = HARNESS_GOOD;

	if (!judge) {
		fputs("harness: copy: no memory\n", stderr);
		return HARNESS_USAGE;
	}
	for (size_t i = 0; i < options->variant_count; i++) {
		struct subject subject;
		int its_status;

		if (!subject_find(&subject, options->variants[i], image)) {
			printf("%-19s has no code for riscv64 that could be judged\n",
			       options->variants[i]->name);
			continue;
		}
		its_status = options->is_one_case ? verify_case(options, judge, &subject)
						  : verify_subject(options, judge, &subject);
		status = its_status > status ? its_status : status;
	}
	judge_destroy(judge);
	return status;
}
