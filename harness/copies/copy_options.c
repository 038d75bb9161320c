/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command line of `harness copy`. See copy_options.h. */
#define _GNU_SOURCE /* stpcpy */
#include "harness/copies/copy_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copylib/added.h"
#include "harness/copies/additions.h"
#include "harness/copies/trials.h"

enum option_code {
	OPTION_HELP = 'h',
	OPTION_QUICK = 256,
	OPTION_JUDGE,
	OPTION_SYSTEM,
	OPTION_HERE,
	OPTION_ADD,
	OPTION_MISALIGNED,
	OPTION_JSON,
	OPTION_VLEN,
	OPTION_FUNCTION,
	OPTION_SIZE,
	OPTION_SIZES,
	OPTION_DST_ALIGN,
	OPTION_SRC_ALIGN,
	OPTION_VALUE,
	OPTION_DISTANCE,
	OPTION_SRC_FAULT,
	OPTION_DST_FAULT,
};

static const struct option long_options[] = {
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "quick", no_argument, NULL, OPTION_QUICK },
	{ "judge", no_argument, NULL, OPTION_JUDGE },
	{ "system", no_argument, NULL, OPTION_SYSTEM },
	{ "here", no_argument, NULL, OPTION_HERE },
	{ "add", required_argument, NULL, OPTION_ADD },
	{ "misaligned", required_argument, NULL, OPTION_MISALIGNED },
	{ "json", required_argument, NULL, OPTION_JSON },
	{ "vlen", required_argument, NULL, OPTION_VLEN },
	{ "function", required_argument, NULL, OPTION_FUNCTION },
	{ "size", required_argument, NULL, OPTION_SIZE },
	{ "sizes", required_argument, NULL, OPTION_SIZES },
	{ "dst-align", required_argument, NULL, OPTION_DST_ALIGN },
	{ "src-align", required_argument, NULL, OPTION_SRC_ALIGN },
	{ "value", required_argument, NULL, OPTION_VALUE },
	{ "distance", required_argument, NULL, OPTION_DISTANCE },
	{ "src-fault", required_argument, NULL, OPTION_SRC_FAULT },
	{ "dst-fault", required_argument, NULL, OPTION_DST_FAULT },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *out)
{
	fputs("usage: harness copy list   [VARIANT...] [--add FILE]\n"
	      "       harness copy verify [VARIANT...] [--add FILE] [--quick] [--judge | --here]\n"
	      "       harness copy count  [VARIANT...] [--add FILE] [--function NAME] "
	      "[--sizes N,...]\n"
	      "                          [--system]\n"
	      "\n"
	      "  list    the variants: who wrote them, what they have and need, how long they are\n"
	      "  verify  tries each with all sizes, alignments, distances and faults: its riscv64 "
	      "code\n"
	      "          in the judge, an interpreter in which every byte of memory is marked; "
	      "and, "
	      "as\n"
	      "          far as it runs here, between guard pages, in a process of its own\n"
	      "  count   the instructions that a call takes, exactly, by size and alignment\n"
	      "\n"
	      "  --quick             smaller sizes only\n"
	      "  --vlen BITS         of a vector register: 128 (default), 256 or 512\n"
	      "  --add FILE[=NAME]   your own: FILE.S, .c, .o or .so with any of memcpy, memmove, "
	      "memset,\n"
	      "                      __memcpy ..., __asm_copy_to_user, __asm_copy_from_user,\n"
	      "                      __clear_user; a kernel's memcpy.S, memmove.S, memset.S and\n"
	      "                      uaccess.S as they are. For flags of your own, build the .o\n"
	      "  --json FILE|-       verify, count: the result also there; -: on standard output, "
	      "alone\n"
	      "  --judge, --here     verify: in the judge alone, on this machine alone\n"
	      "  --misaligned WORD   misaligned accesses: probe (ask the kernel), fast, slow\n"
	      "  --function NAME     memcpy, memmove, memset, usercopy or clearuser alone\n"
	      "  --sizes N,N,...     count: these sizes\n"
	      "  --system            count: in QEMU, on the virtual board (harness board build), "
	      "beside\n"
	      "                      the judge: status 1 if the two differ\n"
	      "\n"
	      "One case of verify, as a failure prints it:\n"
	      "  --size N --dst-align A --src-align A [--value V] [--distance D]\n"
	      "  [--src-fault POSITION] [--dst-fault POSITION]\n"
	      "\n"
	      "Exit status: 0 all is right, 1 a variant is wrong, 2 wrong usage, or no judge "
	      "here.\n",
	      out);
}

static bool wrong(const char *option, const char *value, const char *what)
{
	fprintf(stderr, "harness: copy: --%s %s: %s\n", option, value, what);
	return false;
}

static bool read_number(const char *option, const char *text, long long low, long long high,
			long long *number)
{
	char what[80], *end;

	errno = 0;
	*number = strtoll(text, &end, 0);
	if (end != text && !*end && !errno && *number >= low && *number <= high)
		return true;
	snprintf(what, sizeof(what), "must be a number from %lld to %lld", low, high);
	return wrong(option, text, what);
}

static bool read_sizes(struct copy_options *options, const char *text)
{
	char part[32];

	while (*text) {
		size_t length = strcspn(text, ",");
		long long size;

		if (length >= sizeof(part) || options->size_count == COPY_SIZES_MAX)
			return wrong("sizes", text, "too long, or too many");
		memcpy(part, text, length);
		part[length] = 0;
		if (!read_number("sizes", part, 0, (long long)JUDGE_SIZE_MAX, &size))
			return false;
		options->sizes[options->size_count++] = (size_t)size;
		text += length + (text[length] == ',');
	}
	return options->size_count > 0 || wrong("sizes", "", "name at least one size");
}

static bool read_fault(struct copy_options *options, const char *name, const char *text,
		       size_t *position)
{
	long long number;

	if (!read_number(name, text, 0, (long long)JUDGE_SIZE_MAX, &number))
		return false;
	*position = (size_t)number;
	options->is_one_case = true;
	return true;
}

/* Quoted as a shell wants it: whoever pastes the command must get what he gave. */
static bool keep_again(struct copy_options *options, const char *name, const char *text)
{
	size_t used = options->again ? strlen(options->again) : 0;
	char *longer = realloc(options->again, used + strlen(name) + 4 * strlen(text) + 8);
	char *at;

	if (!longer)
		return wrong(name, text, "there is no memory");
	options->again = longer;
	at = longer + used + sprintf(longer + used, " --%s '", name);
	for (; *text; text++) {
		if (*text == '\'')
			at = stpcpy(at, "'\\'");
		*at++ = *text;
	}
	strcpy(at, "'");
	return true;
}

static bool read_addition(struct copy_options *options, const char *text)
{
	return keep_again(options, "add", text) && additions_add(text);
}

static bool read_misaligned(struct copy_options *options, const char *text)
{
	if (!keep_again(options, "misaligned", text))
		return false;
	if (!strcmp(text, "probe"))
		copy_set_misaligned(COPY_MISALIGNED_PROBE);
	else if (!strcmp(text, "fast"))
		copy_set_misaligned(COPY_MISALIGNED_FAST);
	else if (!strcmp(text, "slow"))
		copy_set_misaligned(COPY_MISALIGNED_SLOW);
	else
		return wrong("misaligned", text, "there are probe, fast, slow");
	return true;
}

static bool read_option(struct copy_options *options, int code, const char *name, const char *text)
{
	long long number;

	switch (code) {
	case OPTION_QUICK:
		options->quick = true;
		return true;
	case OPTION_SYSTEM:
		options->in_system = true;
		return true;
	case OPTION_JUDGE:
		options->only_judge = true;
		return true;
	case OPTION_HERE:
		options->only_here = true;
		return true;
	case OPTION_ADD:
		return read_addition(options, text);
	case OPTION_MISALIGNED:
		return read_misaligned(options, text);
	case OPTION_JSON:
		options->json = text;
		return true;
	case OPTION_VLEN:
		number = strtoll(text, NULL, 10);
		if (number != 128 && number != 256 && number != 512)
			return wrong(name, text, "there are 128, 256 and 512");
		options->vlen_bits = (unsigned int)number;
		return true;
	case OPTION_FUNCTION:
		options->function = subject_function_index(text);
		return options->function < SUBJECT_FUNCTIONS ||
		       wrong(name, text, "there are memcpy, memmove, memset, usercopy, clearuser");
	case OPTION_SIZES:
		return read_sizes(options, text);
	case OPTION_SIZE:
		if (!read_number(name, text, 0, (long long)TRIALS_HUGE_BYTES, &number))
			return false;
		options->call.bytes = (size_t)number;
		options->is_one_case = true;
		return true;
	case OPTION_DST_ALIGN:
	case OPTION_SRC_ALIGN:
		options->part_of_case = name;
		if (!read_number(name, text, 0, JUDGE_ALIGN_MAX - 1, &number))
			return false;
		*(code == OPTION_DST_ALIGN ? &options->call.dst_align : &options->call.src_align) =
			(unsigned int)number;
		return true;
	case OPTION_VALUE:
		options->part_of_case = name;
		if (!read_number(name, text, -0x80000000LL, 0x7fffffff, &number))
			return false;
		options->call.value = (int)number;
		return true;
	case OPTION_DISTANCE:
		options->part_of_case = name;
		if (!read_number(name, text, -(long long)JUDGE_SIZE_MAX, (long long)JUDGE_SIZE_MAX,
				 &number))
			return false;
		options->call.distance = (ptrdiff_t)number;
		return true;
	case OPTION_SRC_FAULT:
		return read_fault(options, name, text, &options->call.src_fault);
	default: /* OPTION_DST_FAULT */
		return read_fault(options, name, text, &options->call.dst_fault);
	}
}

static void list_variants(FILE *out)
{
	for (size_t i = 0; i < copy_variant_count(); i++)
		fprintf(out, "%s%s", i ? ", " : "", copy_variant_at(i)->name);
	fputc('\n', out);
}

static bool add_variant(struct copy_options *options, const char *name)
{
	const struct copy_variant *variant = copy_variant_find(name);

	if (!variant) {
		fprintf(stderr, "harness: copy: %s: no such variant; there are: ", name);
		list_variants(stderr);
		return false;
	}
	for (size_t i = 0; i < options->variant_count; i++)
		if (options->variants[i] == variant)
			return true;
	options->variants[options->variant_count++] = variant;
	return true;
}

/* No alignment fits a fault: it decides that of its buffer. */
static bool check_case(const struct copy_options *options)
{
	const struct judge_call *call = &options->call;

	if (!options->is_one_case && options->part_of_case)
		return wrong(options->part_of_case, "...", "is for one case, which --size names");
	if (!options->is_one_case)
		return true;
	if (options->function == SUBJECT_FUNCTIONS) {
		fputs("harness: copy: one case needs --function\n", stderr);
		return false;
	}
	if (call->distance && call->function != COPY_MEMMOVE) {
		fputs("harness: copy: --distance is for memmove\n", stderr);
		return false;
	}
	if ((call->src_fault != JUDGE_NO_FAULT || call->dst_fault != JUDGE_NO_FAULT) &&
	    !judge_may_fault(call->function) && call->bytes <= JUDGE_SIZE_MAX) {
		fputs("harness: copy: --src-fault and --dst-fault are for usercopy and clearuser\n",
		      stderr);
		return false;
	}
	if (call->bytes > JUDGE_SIZE_MAX && call->dst_fault == JUDGE_NO_FAULT &&
	    !options->only_here) {
		fputs("harness: copy: --size: the judge has no memory for that; --here, or "
		      "--src-fault and --dst-fault\n",
		      stderr);
		return false;
	}
	if (call->bytes > JUDGE_SIZE_MAX && call->distance) {
		fputs("harness: copy: --distance: not for so large a size\n", stderr);
		return false;
	}
	if ((size_t)llabs(call->distance) > call->bytes + JUDGE_ALIGN_MAX / 2) {
		fputs("harness: copy: --distance: the buffers are far apart\n", stderr);
		return false;
	}
	return true;
}

enum copy_options_outcome copy_options_read(struct copy_options *options, int argc, char **argv)
{
	int code, index;

	*options = (struct copy_options){
		.vlen_bits = 128,
		.function = SUBJECT_FUNCTIONS,
		.call = { .value = 0xa5, .src_fault = JUDGE_NO_FAULT, .dst_fault = JUDGE_NO_FAULT },
	};
	/* More may be added by the options that follow. */
	options->variants =
		calloc(copy_variant_count() + 2 * COPY_ADDED_MAX, sizeof(options->variants[0]));
	if (!options->variants) {
		fputs("harness: copy: no memory\n", stderr);
		return COPY_OPTIONS_WRONG;
	}
	optind = 0; /* begin anew, with the table of this subcommand */
	opterr = 0;
	while ((code = getopt_long(argc, argv, ":h", long_options, &index)) != -1) {
		if (code == OPTION_HELP) {
			usage(stdout);
			return COPY_OPTIONS_DONE;
		}
		if (code == '?' || code == ':') {
			fprintf(stderr, "harness: copy: %s: %s\n", argv[optind - 1],
				code == ':' ? "wants a value" : "no such option");
			usage(stderr);
			return COPY_OPTIONS_WRONG;
		}
		if (!read_option(options, code, long_options[index].name, optarg))
			return COPY_OPTIONS_WRONG;
	}
	options->names_all = optind == argc;
	for (; optind < argc; optind++)
		if (!add_variant(options, argv[optind]))
			return COPY_OPTIONS_WRONG;
	if (options->variant_count == 0)
		for (size_t i = 0; i < copy_variant_count(); i++)
			options->variants[options->variant_count++] = copy_variant_at(i);
	if (options->only_here && options->only_judge) {
		fputs("harness: copy: --judge and --here exclude each other\n", stderr);
		return COPY_OPTIONS_WRONG;
	}
	if (options->function < SUBJECT_FUNCTIONS)
		options->call.function = (enum copy_function)(1u << options->function);
	return check_case(options) ? COPY_OPTIONS_GOOD : COPY_OPTIONS_WRONG;
}

void copy_options_free(struct copy_options *options)
{
	free(options->variants);
	free(options->again);
}
