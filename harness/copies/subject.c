/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Variants and their code for the judge. See subject.h. */
#include "harness/copies/subject.h"

#include <stdio.h>
#include <string.h>

#define SYMBOL_BYTES 64

static const char *const names[SUBJECT_FUNCTIONS] = { "memcpy", "memmove", "memset", "usercopy",
						      "clearuser" };

const char *subject_function_name(size_t index)
{
	return names[index];
}

size_t subject_function_index(const char *name)
{
	size_t i = 0;

	while (i < SUBJECT_FUNCTIONS && strcmp(names[i], name) != 0)
		i++;
	return i;
}

/* Symbols are made of a variant's name, with what no symbol can have replaced. */
static void make_symbol(char *symbol, const char *variant, const char *function)
{
	snprintf(symbol, SYMBOL_BYTES, "%s_%s", variant, function);
	for (char *at = symbol; *at; at++)
		if (*at == '-')
			*at = '_';
}

bool subject_find(struct subject *subject, const struct copy_variant *variant,
		  const struct rv64_image *image)
{
	bool found = false;

	*subject = (struct subject){ .variant = variant };
	for (size_t i = 0; i < SUBJECT_FUNCTIONS; i++) {
		char symbol[SYMBOL_BYTES];

		if (!(variant->functions & 1u << i))
			continue;
		make_symbol(symbol, variant->name, names[i]);
		if (rv64_image_function(image, symbol, &subject->entry[i], &subject->code_bytes[i]))
			found = true;
	}
	subject->image = found ? image : NULL;
	return found;
}

const char *subject_departure(const struct copy_variant *variant)
{
	static const char residue[] =
		"after a fault it returns what is left, as kernels do since August 2023; before, "
		"the whole size";
	static const char words[] =
		"after a fault it returns what is left, as kernels do since August 2023; before, "
		"the whole size, and the loop that aligns had no fix-ups";

	if (!strcmp(variant->name, "usercopy-bytes") || !strcmp(variant->name, "usercopy-shift"))
		return residue;
	return strcmp(variant->name, "usercopy-words") == 0 ? words : NULL;
}

bool subject_any_has(const struct subject *subjects, size_t count, size_t function)
{
	for (size_t i = 0; i < count; i++)
		if (subjects[i].entry[function])
			return true;
	return false;
}
