/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The registry: every row of variants.def is there, in order, complete, and found by its name and
 * by nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "copylib/copylib.h"
#include "copylib/user-access.h"

static const char *const rows[] = {
#define VARIANT(name, prefix, credit, year, functions, architectures, needs, summary) name,
#include "copylib/variants.def"
};

static const size_t row_count = sizeof(rows) / sizeof(rows[0]);

static void follows_the_rows(void **state)
{
	size_t i;

	(void)state;
	assert_int_equal(copy_variant_count(), row_count);
	for (i = 0; i < row_count; i++)
		assert_string_equal(copy_variant_at(i)->name, rows[i]);
	assert_null(copy_variant_at(row_count));
	assert_null(copy_variant_at(SIZE_MAX));
}

static void has_what_the_originals_had(void **state)
{
	static const struct {
		const char *name;
		unsigned int functions;
	} originals[] = {
		{ "libc", COPY_MEMCPY | COPY_MEMMOVE | COPY_MEMSET },
		{ "byte", COPY_MEMCPY | COPY_MEMMOVE | COPY_MEMSET },
		{ "linux", COPY_MEMCPY },
		{ "linux-shift", COPY_MEMCPY },
		{ "asm-shift", COPY_MEMCPY | COPY_MEMMOVE },
		{ "c-words", COPY_MEMCPY },
		{ "c-shift", COPY_MEMCPY | COPY_MEMMOVE | COPY_MEMSET },
		{ "c-shift-unroll", COPY_MEMCPY },
		{ "c-unroll", COPY_MEMCPY | COPY_MEMMOVE | COPY_MEMSET },
		{ "c-unroll-unaligned", COPY_MEMCPY },
		{ "c-fast", COPY_MEMCPY | COPY_MEMMOVE | COPY_MEMSET | COPY_USERCOPY },
		{ "interleave", COPY_MEMCPY },
		{ "kloos", COPY_MEMMOVE },
		{ "duff", COPY_MEMSET },
		{ "rvv-m1", COPY_MEMCPY | COPY_MEMMOVE | COPY_MEMSET },
		{ "rvv-m4", COPY_MEMCPY | COPY_MEMMOVE | COPY_MEMSET },
		{ "rvv-m8", COPY_MEMCPY | COPY_MEMMOVE | COPY_MEMSET },
		{ "usercopy-bytes", COPY_USERCOPY },
		{ "usercopy-words", COPY_USERCOPY },
		{ "usercopy-shift", COPY_USERCOPY },
		{ "usercopy-rvv", COPY_USERCOPY },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(originals) / sizeof(originals[0]); i++) {
		const struct copy_variant *v = copy_variant_find(originals[i].name);

		if (!v)
			fail_msg("no variant %s", originals[i].name);
		if (v->functions != originals[i].functions)
			fail_msg("%s: a function too many, or one too few", v->name);
	}
}

#ifdef COPY_HAS_USER_ACCESS
#define FUNCTIONS_HERE ~0u
#else
#define FUNCTIONS_HERE ~(unsigned int)COPY_USERCOPY
#endif

/* All of a variant's functions can be called where it runs, and none where it does not. */
static void functions_are_there_where_it_runs(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < row_count; i++) {
		const struct copy_variant *v = copy_variant_at(i);
		unsigned int there =
			(v->memcpy ? COPY_MEMCPY : 0) | (v->memmove ? COPY_MEMMOVE : 0) |
			(v->memset ? COPY_MEMSET : 0) | (v->usercopy ? COPY_USERCOPY : 0);

		if (there != (v->functions & FUNCTIONS_HERE) &&
		    (there != 0 || copy_variant_runs_here(v)))
			fail_msg("%s: has 0x%x, there is 0x%x", v->name, v->functions, there);
	}
}

static void finds_each_by_its_name(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < row_count; i++) {
		if (copy_variant_find(rows[i]) != copy_variant_at(i))
			fail_msg("%s is found elsewhere than at %zu: two of that name?", rows[i],
				 i);
	}
}

static void finds_nothing_else(void **state)
{
	static const char *const unknown[] = { "",	 "linu",	"linux ",
					       " linux", "LINUX",	"none",
					       "linux-", "linux_shift", "linux-shift2" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (copy_variant_find(unknown[i]))
			fail_msg("found a variant \"%s\"", unknown[i]);
	}
}

/* What is typed, and what stands in a table's head: short, lower case, no blanks. */
static void rows_are_complete(void **state)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	size_t i;

	(void)state;
	for (i = 0; i < row_count; i++) {
		const struct copy_variant *v = copy_variant_at(i);

		if (strspn(v->name, allowed) != strlen(v->name) || strlen(v->name) > 20)
			fail_msg("row %zu: name \"%s\"", i, v->name);
		if (!v->credit[0] || !v->summary[0])
			fail_msg("%s: no credit or no summary", v->name);
		if (v->year && (v->year < 1980 || v->year > 2100))
			fail_msg("%s: year %u", v->name, v->year);
		if (!v->functions)
			fail_msg("%s: no function", v->name);
	}
}

static void runs_only_what_the_cpu_can(void **state)
{
	struct copy_variant v = *copy_variant_find("byte");

	(void)state;
	assert_true(copy_variant_runs_here(&v));
	assert_null(copy_variant_missing(&v));
	v.needs = 1u << 30; /* no such need: no CPU has it */
	assert_false(copy_variant_runs_here(&v));
	assert_non_null(copy_variant_missing(&v));
	v.needs = COPY_NEED_NOTHING;
	v.architectures = 0;
	assert_false(copy_variant_runs_here(&v));
	assert_non_null(copy_variant_missing(&v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_rows),
		cmocka_unit_test(has_what_the_originals_had),
		cmocka_unit_test(functions_are_there_where_it_runs),
		cmocka_unit_test(finds_each_by_its_name),
		cmocka_unit_test(finds_nothing_else),
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(runs_only_what_the_cpu_can),
	};

	return cmocka_run_group_tests_name("copylib registry", tests, NULL, NULL);
}
