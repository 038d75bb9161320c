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

int copies_list(const struct copy_options *options, const struct subject *subjects)
{
	char functions[TEXT_BYTES], code[TEXT_BYTES], year[TEXT_BYTES];

	printf("%-19s %-17s %4s  %-21s %9s  %s\n", "variant", "credit", "year", "has", "riscv64 B",
	       "runs here");
	for (size_t i = 0; i < options->variant_count; i++) {
		const struct copy_variant *variant = options->variants[i];
		const char *missing = copy_variant_missing(variant);

		snprintf(year, sizeof(year), "%u", variant->year);
		printf("%-19s %-17s %4s  %-21s %9s  %s%s\n", variant->name, variant->credit,
		       variant->year ? year : "-", functions_of(variant, functions),
		       code_of(&subjects[i], code), missing ? "no: needs " : "yes",
		       missing ? missing : "");
	}
	puts("\nriscv64 B: bytes of code, as the judge runs it; -: none is built in");
	return HARNESS_GOOD;
}
