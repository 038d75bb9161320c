/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* harness copy: the routines alone. Finds the subcommand, and the code that the judge runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/copies/additions.h"
#include "harness/copies/copies.h"
#include "harness/harness.h"

static const struct copy_subcommand {
	const char *name;
	int (*run)(const struct copy_options *options, const struct subject *subjects);
} subcommands[] = {
	{ "list", copies_list },
	{ "verify", copies_verify },
	{ "count", copies_count },
};
#define SUBCOMMANDS (sizeof(subcommands) / sizeof(subcommands[0]))

/* The variants with their code for the judge; NULL: no memory. */
static struct subject *find_subjects(const struct copy_options *options,
				     const struct rv64_image *builtin)
{
	struct subject *subjects = calloc(options->variant_count, sizeof(*subjects));

	for (size_t i = 0; subjects && i < options->variant_count; i++) {
		const struct copy_variant *variant = options->variants[i];

		subjects[i].variant = variant;
		if (!additions_find(&subjects[i], variant) && builtin && !additions_have(variant))
			subject_find(&subjects[i], variant, builtin);
	}
	return subjects;
}

static bool any_is_judged(const struct copy_options *options, const struct subject *subjects)
{
	for (size_t i = 0; i < options->variant_count; i++)
		if (subjects[i].image)
			return true;
	return false;
}

static int run(const struct copy_subcommand *subcommand, const struct copy_options *options)
{
	struct rv64_image image = { 0 };
	char why[256] = "this program was built where no compiler for riscv64 was; install "
			"gcc-riscv64-linux-gnu and build it again";
	size_t bytes;
	const void *file = rv64_builtin_variants(&bytes);
	bool has_judge = file && rv64_image_load(&image, file, bytes, why, sizeof(why));
	struct subject *subjects = find_subjects(options, has_judge ? &image : NULL);
	int status = HARNESS_USAGE;

	if (!subjects)
		fputs("harness: copy: no memory\n", stderr);
	else if (!has_judge && !any_is_judged(options, subjects) &&
		 (options->only_judge || subcommand->run == copies_count))
		fprintf(stderr, "harness: copy %s: there is no riscv64 code to judge: %s\n",
			subcommand->name, why);
	else
		status = subcommand->run(options, subjects);
	free(subjects);
	rv64_image_free(&image);
	return status;
}

int copy_main(int argc, char **argv)
{
	struct copy_options options;
	const struct copy_subcommand *subcommand = NULL;
	int status;

	for (size_t i = 0; argc > 1 && i < SUBCOMMANDS; i++)
		if (!strcmp(argv[1], subcommands[i].name))
			subcommand = &subcommands[i];
	if (!subcommand && argc > 1 && argv[1][0] != '-') {
		fprintf(stderr,
			"harness: copy %s: no such subcommand; there are list, verify, count\n",
			argv[1]);
		return HARNESS_USAGE;
	}
	switch (copy_options_read(&options, subcommand ? argc - 1 : argc,
				  subcommand ? argv + 1 : argv)) {
	case COPY_OPTIONS_DONE:
		status = HARNESS_GOOD;
		break;
	case COPY_OPTIONS_WRONG:
		status = HARNESS_USAGE;
		break;
	default:
		if (subcommand && subcommand->run == copies_list && options.json) {
			fputs("harness: copy list: --json is for verify and count\n", stderr);
			status = HARNESS_USAGE;
			break;
		}
		if (subcommand && subcommand->run != copies_verify && options.is_one_case) {
			fputs("harness: copy: --size is for verify; count has --sizes\n", stderr);
			status = HARNESS_USAGE;
			break;
		}
		if (!subcommand)
			fputs("harness: copy: which of list, verify, count? --help tells\n",
			      stderr);
		status = subcommand ? run(subcommand, &options) : HARNESS_USAGE;
	}
	copy_options_free(&options);
	additions_free();
	return status;
}
