/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * harness copy verify: each variant in the judge, as far as it has code for riscv64, and on this
 * machine, as far as it runs here; a line about each function. A user copy is held to the contract
 * of the kernel too, which the published ones do not keep: how far they depart is told, and is no
 * failure.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/copies/additions.h"
#include "harness/copies/copies.h"
#include "harness/copies/copies_result.h"
#include "harness/copies/judged.h"
#include "harness/copies/native.h"
#include "harness/harness.h"
#include "harness/measure/interrupt.h"

#define JUDGE_PLACE "the judge"

static FILE *out;
static struct result *found;

struct verification {
	const struct copy_options *options;
	const struct subject *subject;
	size_t column;
	size_t function;
	const char *place;
	double shown; /* part that is on the screen */
};

/* -- progress ------------------------------------------------------------------------------ */

static void show_progress(void *context, double part)
{
	struct verification *verification = context;

	if (part >= verification->shown && part < verification->shown + 0.01)
		return;
	verification->shown = part;
	fprintf(stderr, "\r%s %s on %s %3.0f %%", verification->subject->variant->name,
		subject_function_name(verification->function), verification->place, 100 * part);
}

static void clear_progress(void)
{
	fprintf(stderr, "\r%-70s\r", "");
}

/* -- results ------------------------------------------------------------------------------- */

static void print_contract(const struct trials_result *result)
{
	if (result->exact == result->faults) {
		fprintf(out, "contract exact in %llu faults", (unsigned long long)result->faults);
		return;
	}
	fprintf(out, "contract: exact in %llu of %llu faults, late by up to %zu bytes",
		(unsigned long long)result->exact, (unsigned long long)result->faults,
		result->late_bytes);
	if (result->beyond_bytes)
		fprintf(out, ", up to %zu bytes written beyond", result->beyond_bytes);
	if (result->no_progress)
		fprintf(out, ", no progress in %llu cases",
			(unsigned long long)result->no_progress);
}

static bool is_judged(const struct verification *verification)
{
	return strcmp(verification->place, JUDGE_PLACE) == 0;
}

/* Where it is wrong, and the command that shows that again. */
static void print_wrong(const struct verification *verification, const struct trials_result *result)
{
	char repeat[256];

	fprintf(out, "WRONG: %s\n", result->problem);
	if (!result->first_wrong.function)
		return;
	trials_print_case(&result->first_wrong, repeat, sizeof(repeat));
	fprintf(out, "%-39s again: harness copy verify %s%s%s %s", "",
		verification->subject->variant->name,
		verification->options->again ? verification->options->again : "",
		is_judged(verification) ? " --judge" : " --here", repeat);
	if (is_judged(verification) && verification->options->vlen_bits != 128)
		fprintf(out, " --vlen %u", verification->options->vlen_bits);
	fputc('\n', out);
}

static bool may_be_misaligned(const struct verification *verification)
{
	return verification->subject->variant->needs & COPY_NEED_FAST_MISALIGNED;
}

/* For the result file: a row for each thing that is said of a function in a place. */
static void keep_result(const struct verification *verification, const struct trials_result *result)
{
	const char *place = is_judged(verification) ? "judge" : "native";
	char key[96];

	snprintf(key, sizeof(key), "%s, %s", subject_function_name(verification->function), place);
	copies_result_add(found, key, COPIES_NO_SIZE, NULL, verification->column,
			  (double)result->wrong);
	copies_result_add(found, key, COPIES_NO_SIZE, "calls", verification->column,
			  (double)result->calls);
	copies_result_add(found, key, COPIES_NO_SIZE, "misaligned", verification->column,
			  (double)result->misaligned);
	if (!result->faults)
		return;
	copies_result_add(found, key, COPIES_NO_SIZE, "faults", verification->column,
			  (double)result->faults);
	copies_result_add(found, key, COPIES_NO_SIZE, "exact faults", verification->column,
			  (double)result->exact);
	copies_result_add(found, key, COPIES_NO_SIZE, "bytes late", verification->column,
			  (double)result->late_bytes);
	copies_result_add(found, key, COPIES_NO_SIZE, "bytes beyond", verification->column,
			  (double)result->beyond_bytes);
	copies_result_add(found, key, COPIES_NO_SIZE, "faults without progress",
			  verification->column, (double)result->no_progress);
}

static int print_result(const struct verification *verification, const struct trials_result *result)
{
	fprintf(out, "%-19s %-9s %-9s ", verification->subject->variant->name,
		subject_function_name(verification->function), verification->place);
	if (result->stopped) {
		fprintf(out, "interrupted after %llu calls\n", (unsigned long long)result->calls);
		return HARNESS_FAILED;
	}
	if (result->wrong) {
		print_wrong(verification, result);
		return HARNESS_FAILED;
	}
	fprintf(out, "right in %llu calls", (unsigned long long)result->calls);
	if (result->misaligned)
		fprintf(out, "; misaligned %s %llu", is_judged(verification) ? "accesses" : "calls",
			(unsigned long long)result->misaligned);
	if (result->not_made)
		fprintf(out, "; %llu NOT MADE for want of memory",
			(unsigned long long)result->not_made);
	if (result->faults) {
		fputs("; ", out);
		print_contract(result);
	}
	fputc('\n', out);
	/* A variant that does not say it needs them must not make misaligned accesses. */
	if (!result->misaligned || may_be_misaligned(verification))
		return HARNESS_GOOD;
	/* What a compiler for another machine makes of a source says nothing of riscv64. */
	if (!is_judged(verification) && verification->subject->image &&
	    additions_have(verification->subject->variant))
		return HARNESS_GOOD;
	if (additions_have(verification->subject->variant)) {
		fprintf(out, "%-39s so it is for CPUs that are fast at misaligned accesses\n", "");
		return HARNESS_GOOD;
	}
	fprintf(out, "%-39s WRONG: it makes misaligned accesses and does not say so\n", "");
	return HARNESS_FAILED;
}

/* -- where --------------------------------------------------------------------------------- */

static const struct trials_range *range_of(const struct copy_options *options)
{
	return options->quick ? &trials_quick : &trials_full;
}

static bool is_wanted(const struct copy_options *options, size_t function)
{
	return options->function == SUBJECT_FUNCTIONS || options->function == function;
}

/* Tries one function; judge NULL: on this machine. */
static int verify_function(struct verification *verification, struct judge *judge)
{
	bool shows = isatty(STDERR_FILENO);
	struct trials_range range = *range_of(verification->options);
	struct trials_result result;
	int status;

	/* Where every instruction is an emulator's, 4 GiB take minutes. */
	range.beyond_4_gib = !judge && !verification->options->quick && !copy_emulator();
	verification->shown = -1;
	if (judge)
		judged_function(judge, verification->subject, verification->function, &range,
				shows ? show_progress : NULL, verification, &result);
	else
		native_function(verification->subject->variant, verification->function, &range,
				shows ? show_progress : NULL, verification, &result);
	if (shows)
		clear_progress();
	if (!result.stopped)
		keep_result(verification, &result);
	status = print_result(verification, &result);
	fflush(out);
	return status;
}

static void print_case(const struct verification *verification, const struct judge_verdict *verdict,
		       bool judged)
{
	fprintf(out, "%s on %s: %s%s\n", verification->subject->variant->name, verification->place,
		verdict->not_made ? "not tried: there is no memory for it"
		: verdict->right  ? "right"
				  : "WRONG: ",
		verdict->problem);
	if (judged)
		fprintf(out,
			"  %llu instructions, %llu loads, %llu stores, %llu misaligned, %llu bytes "
			"read beside the source\n",
			(unsigned long long)verdict->counts.instructions,
			(unsigned long long)verdict->counts.loads,
			(unsigned long long)verdict->counts.stores,
			(unsigned long long)verdict->counts.misaligned,
			(unsigned long long)verdict->edge_bytes);
	if (judge_may_fault(verification->options->call.function))
		fprintf(out, "  late by %zu bytes, %zu bytes written beyond\n", verdict->late_bytes,
			verdict->beyond_bytes);
}

/* Makes the one call that the options name. */
static int verify_case(struct verification *verification, struct judge *judge)
{
	struct judge_call call = verification->options->call;
	struct judge_verdict verdict;

	call.entry = verification->subject->entry[verification->function];
	if (judge)
		judge_run(judge, &call, &verdict);
	else
		native_case(verification->subject->variant, &call, &verdict);
	print_case(verification, &verdict, judge != NULL);
	if (verdict.not_made)
		return HARNESS_USAGE;
	return verdict.right ? HARNESS_GOOD : HARNESS_FAILED;
}

/* All functions of a subject in one place; *tried becomes true if there are any. */
static int verify_in(struct verification *verification, struct judge *judge, bool *tried)
{
	const struct copy_options *options = verification->options;
	const struct subject *subject = verification->subject;
	int status = HARNESS_GOOD;

	verification->place = judge ? JUDGE_PLACE : native_place();
	for (size_t function = 0; function < SUBJECT_FUNCTIONS; function++) {
		bool has = judge ? subject->entry[function] != 0
				 : native_has(subject->variant, function);
		int its_status;

		if (!has || !is_wanted(options, function))
			continue;
		if (interrupt_seen())
			return HARNESS_FAILED;
		*tried = true;
		verification->function = function;
		its_status = options->is_one_case ? verify_case(verification, judge)
						  : verify_function(verification, judge);
		status = its_status > status ? its_status : status;
	}
	return status;
}

static int verify_subject(const struct copy_options *options, const struct subject *subject,
			  size_t column)
{
	struct verification verification = { .options = options,
					     .subject = subject,
					     .column = column };
	int status = HARNESS_GOOD, its_status;
	bool tried = false;

	if (subject->image && !options->only_here) {
		struct judge *judge = judge_create(subject->image, options->vlen_bits / 8);

		if (!judge) {
			fputs("harness: copy: no memory\n", stderr);
			return HARNESS_USAGE;
		}
		status = verify_in(&verification, judge, &tried);
		judge_destroy(judge);
	}
	if (!options->only_judge) {
		its_status = verify_in(&verification, NULL, &tried);
		status = its_status > status ? its_status : status;
	}
	if (tried) {
		if (subject_departure(subject->variant) && !options->is_one_case)
			fprintf(out, "%-39s %s\n", "", subject_departure(subject->variant));
		return status;
	}
	if (options->function < SUBJECT_FUNCTIONS &&
	    !(subject->variant->functions & 1u << options->function)) {
		if (!options->names_all)
			fprintf(stderr, "harness: copy: %s has no %s\n", subject->variant->name,
				subject_function_name(options->function));
		return options->names_all ? HARNESS_GOOD : HARNESS_USAGE;
	}
	if (options->only_judge)
		fprintf(out,
			"%-19s was not tried: it has no code for riscv64 that could be judged\n",
			subject->variant->name);
	else
		fprintf(out, "%-19s was not tried: needs %s\n", subject->variant->name,
			copy_variant_missing(subject->variant)
				? copy_variant_missing(subject->variant)
				: "a compiler for riscv64 when this program is built");
	/* Whoever names one wants it tried. */
	return options->names_all ? HARNESS_GOOD : HARNESS_USAGE;
}

int copies_verify(const struct copy_options *options, const struct subject *subjects)
{
	int status = HARNESS_GOOD;

	out = copies_text(options);
	found = copies_result_create("check", "wrong calls", options);
	if (interrupt_open() < 0)
		fprintf(stderr, "harness: copy: signals cannot be watched: %s\n", strerror(errno));
	for (size_t i = 0; i < options->variant_count && !interrupt_seen(); i++) {
		int its_status = verify_subject(options, &subjects[i], i);

		status = its_status > status ? its_status : status;
	}
	if (interrupt_seen()) {
		fputs("harness: copy: interrupted: what was found so far is above\n", stderr);
		status = status > HARNESS_FAILED ? status : HARNESS_FAILED;
		if (found)
			result_add_note(found, "interrupted: the rest was not tried");
	}
	return copies_result_finish(found, options) ? status : HARNESS_USAGE;
}
