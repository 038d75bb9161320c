/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The plan: each run is a permutation of all cells, runs follow each other, a seed gives one order
 * on every machine, and every order is as likely as another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/measure/plan.h"
#include "harness/measure/random.h"

#define RUNS	3u
#define ROWS	4u
#define COLUMNS 10u
#define A_RUN	(ROWS * COLUMNS)

static void every_run_is_a_permutation(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct planned_cell *plan = plan_create(RUNS, ROWS, COLUMNS, seed);

		assert_non_null(plan);
		for (size_t run = 0; run < RUNS; run++) {
			int seen[A_RUN] = { 0 };

			for (size_t i = 0; i < A_RUN; i++) {
				const struct planned_cell *cell = &plan[run * A_RUN + i];

				if (cell->run != run + 1 || cell->row >= ROWS ||
				    cell->column >= COLUMNS)
					fail_msg(
						"seed %llu, place %zu: run %u, row %zu, column %zu",
						(unsigned long long)seed, run * A_RUN + i,
						cell->run, cell->row, cell->column);
				seen[cell->row * COLUMNS + cell->column]++;
			}
			for (size_t i = 0; i < A_RUN; i++)
				if (seen[i] != 1)
					fail_msg("seed %llu, run %zu: cell %zu is there %d times",
						 (unsigned long long)seed, run + 1, i, seen[i]);
		}
		free(plan);
	}
}

static void seed_decides(void **state)
{
	struct planned_cell *a = plan_create(RUNS, ROWS, COLUMNS, 42);
	struct planned_cell *same = plan_create(RUNS, ROWS, COLUMNS, 42);
	struct planned_cell *other = plan_create(RUNS, ROWS, COLUMNS, 43);
	size_t equal_to_other = 0, equal_to_next_run = 0;

	(void)state;
	assert_non_null(a);
	assert_non_null(same);
	assert_non_null(other);
	for (size_t i = 0; i < RUNS * A_RUN; i++) {
		assert_int_equal(a[i].row, same[i].row);
		assert_int_equal(a[i].column, same[i].column);
		equal_to_other += a[i].row == other[i].row && a[i].column == other[i].column;
	}
	for (size_t i = 0; i < A_RUN; i++)
		equal_to_next_run +=
			a[i].row == a[A_RUN + i].row && a[i].column == a[A_RUN + i].column;
	/* By chance one in 40 places agrees. */
	assert_in_range(equal_to_other, 0, RUNS * A_RUN / 4);
	assert_in_range(equal_to_next_run, 0, A_RUN / 4);
	free(a);
	free(same);
	free(other);
}

/* The published first outputs of splitmix64 for the seed 1234567: a seed means the same everywhere.
 */
static void random_numbers_are_the_published_ones(void **state)
{
	static const uint64_t published[] = { UINT64_C(6457827717110365317),
					      UINT64_C(3203168211198807973),
					      UINT64_C(9817491932198370423) };
	struct random random;

	(void)state;
	random_start(&random, 1234567);
	for (size_t i = 0; i < sizeof(published) / sizeof(published[0]); i++) {
		uint64_t drawn = random_next(&random);

		if (drawn != published[i])
			fail_msg("number %zu is %llu instead of %llu", i, (unsigned long long)drawn,
				 (unsigned long long)published[i]);
	}
}

static void all_orders_are_as_likely(void **state)
{
	enum { DRAWS = 24000 };
	int counts[6] = { 0 }; /* of the orders of three cells */

	(void)state;
	for (uint64_t seed = 0; seed < DRAWS; seed++) {
		struct planned_cell *plan = plan_create(1, 1, 3, seed);

		assert_non_null(plan);
		counts[plan[0].column * 2 + (plan[1].column > plan[2].column)]++;
		free(plan);
	}
	for (int i = 0; i < 6; i++)
		if (abs(counts[i] - DRAWS / 6) > 300) /* five standard deviations */
			fail_msg("order %d came %d times of %d", i, counts[i], DRAWS);
}

/* Each kernel is booted once a run, and within it the order is still that of the seed. */
static void cells_of_a_kernel_come_together(void **state)
{
	static const char *const kernels[] = { "a", "b", "", "a", "c" };
	struct planned_cell *plan = plan_create(RUNS, ROWS, 5, 7);
	struct planned_cell *before = plan_create(RUNS, ROWS, 5, 7);

	(void)state;
	assert_non_null(plan);
	assert_non_null(before);
	plan_by_kernel(plan, RUNS * ROWS * 5, kernels);
	for (unsigned int run = 1; run <= RUNS; run++) {
		const struct planned_cell *first = &plan[(run - 1) * ROWS * 5];
		size_t changes = 0;

		for (size_t i = 0; i < ROWS * 5; i++) {
			assert_int_equal(first[i].run, run);
			changes += !i || strcmp(kernels[first[i].column],
						kernels[first[i - 1].column]) != 0;
		}
		assert_int_equal(changes, 4);
		/* Those of a kernel are the ones of before, in that order. */
		for (size_t i = 0, j = 0; i < ROWS * 5; i++) {
			const struct planned_cell *was = &before[(run - 1) * ROWS * 5 + i];

			if (strcmp(kernels[was->column], "a") != 0)
				continue;
			while (strcmp(kernels[first[j].column], "a") != 0)
				j++;
			assert_int_equal(first[j].row, was->row);
			assert_int_equal(first[j].column, was->column);
			j++;
		}
	}
	free(plan);
	free(before);
}

static void nothing_to_do_is_no_plan(void **state)
{
	(void)state;
	assert_null(plan_create(0, 1, 1, 1));
	assert_null(plan_create(1, 0, 1, 1));
	assert_null(plan_create(1, 1, 0, 1));
}

static void seeds_from_the_time_can_be_typed(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
		assert_in_range(plan_seed_from_time(), 1, 999999);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_is_a_permutation),
		cmocka_unit_test(seed_decides),
		cmocka_unit_test(random_numbers_are_the_published_ones),
		cmocka_unit_test(all_orders_are_as_likely),
		cmocka_unit_test(cells_of_a_kernel_come_together),
		cmocka_unit_test(nothing_to_do_is_no_plan),
		cmocka_unit_test(seeds_from_the_time_can_be_typed),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
