/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The variants that are built in, as a table made from variants.def, and lookup by name in it.
 */
#include <string.h>

#include "copylib/copylib.h"
#include "copylib/variant.h"

/* The "functions" column of variants.def. */
enum {
	MEMCPY = 1,
	MEMMOVE = 2,
	MEMSET = 4,
};

/* clang-format off */
#define VARIANT(name_, prefix, credit_, year_, functions, needs_, summary_)                        \
	{                                                                                          \
		.name = name_,                                                                     \
		.credit = credit_,                                                                 \
		.year = year_,                                                                     \
		.summary = summary_,                                                               \
		.needs = needs_,                                                                   \
		.memcpy = (functions) & MEMCPY ? prefix##_memcpy : NULL,                           \
		.memmove = (functions) & MEMMOVE ? prefix##_memmove : NULL,                        \
		.memset = (functions) & MEMSET ? prefix##_memset : NULL,                           \
	},
/* clang-format on */

static const struct copy_variant variants[] = {
#include "copylib/variants.def"
};

size_t copy_variant_count(void)
{
	return sizeof(variants) / sizeof(variants[0]);
}

const struct copy_variant *copy_variant_at(size_t index)
{
	return index < copy_variant_count() ? &variants[index] : NULL;
}

const struct copy_variant *copy_variant_find(const char *name)
{
	size_t i;

	for (i = 0; i < copy_variant_count(); i++) {
		if (strcmp(variants[i].name, name) == 0)
			return &variants[i];
	}
	return NULL;
}
