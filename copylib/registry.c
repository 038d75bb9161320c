/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The variants that are built in, as a table made from variants.def, and lookup by name in it.
 */
#include <stdio.h>
#include <string.h>

#include "copylib/added.h"
#include "copylib/copylib.h"
#include "copylib/variant.h"

#if defined(__riscv)
#define HERE COPY_RISCV64
#elif defined(__x86_64__)
#define HERE COPY_X86_64
#else
#define HERE (1 << 30) /* portable variants alone */
#endif

/* Even a portable variant has its user copy only where copylib/user-access.h knows the machine. */
#define USER_COPY_MACHINES (COPY_RISCV64 | COPY_X86_64)

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
		.usercopy = FUNCTION(COPY_USERCOPY, functions_,                                    \
				     (architectures_) & USER_COPY_MACHINES, prefix##_usercopy),    \
	},
/* clang-format on */

static const struct copy_variant variants[] = {
#include "copylib/variants.def"
};

#define BUILT_IN (sizeof(variants) / sizeof(variants[0]))

static struct copy_variant added[COPY_ADDED_MAX];
static size_t added_count;

size_t copy_variant_count(void)
{
	return BUILT_IN + added_count;
}

const struct copy_variant *copy_variant_at(size_t index)
{
	if (index < BUILT_IN)
		return &variants[index];
	return index - BUILT_IN < added_count ? &added[index - BUILT_IN] : NULL;
}

const struct copy_variant *copy_variant_find(const char *name)
{
	const struct copy_variant *variant;

	for (size_t i = 0; (variant = copy_variant_at(i)); i++)
		if (strcmp(variant->name, name) == 0)
			return variant;
	return NULL;
}

static bool is_name(const char *name)
{
	size_t length =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			     "._-+");

	return length > 0 && !name[length] && name[0] != '-' && strcmp(name, "none") != 0;
}

const struct copy_variant *copy_variant_add(const struct copy_variant *variant, char *why,
					    size_t why_bytes)
{
	if (!is_name(variant->name))
		snprintf(why, why_bytes,
			 "\"%s\" is no name for a variant: letters, digits, . _ + and - are; give "
			 "another one by FILE=NAME",
			 variant->name);
	else if (copy_variant_find(variant->name))
		snprintf(why, why_bytes,
			 "there is a variant %s already; give another name by FILE=NAME",
			 variant->name);
	else if (added_count == COPY_ADDED_MAX)
		snprintf(why, why_bytes, "no more than %d variants can be added", COPY_ADDED_MAX);
	else
		return memcpy(&added[added_count++], variant, sizeof(*variant));
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
