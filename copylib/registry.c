/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The variants that are built in, as a table made from variants.def, and lookup by name in it.
 */
#include <string.h>

#include "copylib/copylib.h"
#include "copylib/variant.h"

#if defined(__riscv)
#define HERE COPY_RISCV64
#elif defined(__x86_64__)
#define HERE COPY_X86_64
#else
#define HERE (1 << 30) /* portable variants alone */
#endif

/* clang-format off */
#define FUNCTION(bit, functions, architectures, name)                                              \
	((functions) & (bit) && (architectures) & HERE ? (name) : NULL)
#define VARIANT(name_, prefix, credit_, year_, functions_, architectures_, needs_, summary_)       \
	{                                                                                          \
		.name = name_,                                                                     \
		.credit = credit_,                                                                 \
		.year = year_,                                                                     \
		.summary = summary_,                                                               \
		.functions = functions_,                                                           \
		.architectures = (unsigned int)(architectures_),                                   \
		.needs = needs_,                                                                   \
		.memcpy = FUNCTION(COPY_MEMCPY, functions_, architectures_, prefix##_memcpy),      \
		.memmove = FUNCTION(COPY_MEMMOVE, functions_, architectures_, prefix##_memmove),   \
		.memset = FUNCTION(COPY_MEMSET, functions_, architectures_, prefix##_memset),      \
		.usercopy = FUNCTION(COPY_USERCOPY, functions_, architectures_, prefix##_usercopy),\
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

static const char *architecture_missing(unsigned int architectures)
{
	switch (architectures) {
	case COPY_RISCV64:
		return "a riscv64 machine";
	case COPY_X86_64:
		return "an x86-64 machine";
	default:
		return "a riscv64 or x86-64 machine";
	}
}

const char *copy_variant_missing(const struct copy_variant *variant)
{
	unsigned int missing = variant->needs & ~copy_needs_met();

	if (!(variant->architectures & HERE))
		return architecture_missing(variant->architectures);
	if (missing == 0)
		return NULL;
	return copy_need_name(missing & -missing);
}

bool copy_variant_runs_here(const struct copy_variant *variant)
{
	return copy_variant_missing(variant) == NULL;
}
