/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* harness copy list: the variants, what they have, what they need, how long their code is. */
#include <stdio.h>

#include "harness/copies/copies.h"
#include "harness/harness.h"

#define TEXT_BYTES 64

static const char *functions_of(const struct copy_variant *variant, char *text)
{
	size_t used = 0;

	text[0] = 0;
	for (size_t i = 0; i < SUBJECT_FUNCTIONS; i++)
		if (variant->functions & 1u << i)
			used += (size_t)snprintf(text + used, TEXT_BYTES - used, "%s%s",
						 used ? " " : "", subject_function_name(i));
	return text;
}

static const char *code_of(const struct subject *subject, char *text)
{
	size_t bytes = 0;

	if (!subject->image)
		return "-";
	for (size_t i = 0; i < SUBJECT_FUNCTIONS; i++)
		bytes += subject->code_bytes[i];
	snprintf(text, TEXT_BYTES, "%zu", bytes);
	return text;
}

static const char *needs_of(const struct copy_variant *variant, char *text)
{
	static const struct {
		unsigned int architectures;
		const char *name;
	} machines[] = {
		{ COPY_RISCV64, "riscv64" },
		{ COPY_X86_64, "x86-64" },
		{ COPY_RISCV64 | COPY_X86_64, "riscv64, x86-64" },
	};
	const char *need = copy_need_name(variant->needs & -variant->needs);
	const char *machine = "";

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (variant->architectures == machines[i].architectures)
			machine = machines[i].name;
	if (!*machine && !need)
		return "-";
	snprintf(text, TEXT_BYTES, "%s%s%s", machine, *machine && need ? "; " : "",
		 need ? need : "");
	return text;
}

static const char *place_of(const struct subject *subject)
{
	bool runs = copy_variant_runs_here(subject->variant);

	if (subject->image)
		return runs ? "here, judge" : "judge";
	return runs ? "here" : "nowhere";
}

int copies_list(const struct copy_options *options, const struct subject *subjects)
{
	char functions[TEXT_BYTES], code[TEXT_BYTES], year[TEXT_BYTES], needs[TEXT_BYTES];

	printf("%-19s %-17s %4s  %-30s %9s  %-12s %s\n", "variant", "credit", "year", "has",
	       "riscv64 B", "runs", "needs");
	for (size_t i = 0; i < options->variant_count; i++) {
		const struct copy_variant *variant = options->variants[i];

		snprintf(year, sizeof(year), "%u", variant->year);
		printf("%-19s %-17s %4s  %-30s %9s  %-12s %s\n", variant->name, variant->credit,
		       variant->year ? year : "-", functions_of(variant, functions),
		       code_of(&subjects[i], code), place_of(&subjects[i]),
		       needs_of(variant, needs));
	}
	puts("\nriscv64 B: bytes of code, as the judge runs it; -: none is built in\n"
	     "runs: here, natively; judge, in the interpreter of riscv64");
	for (size_t i = 0; i < options->variant_count; i++)
		if (subject_departure(options->variants[i]))
			printf("%s: %s\n", options->variants[i]->name,
			       subject_departure(options->variants[i]));
	return HARNESS_GOOD;
}
