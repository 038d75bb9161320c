/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Statistics against known values: quantiles worked out by hand, Student's quantiles from printed
 * tables, and the noise against what repeated draws of equal columns really do.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "harness/measure/random.h"
#include "harness/measure/statistics.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double value, double wanted, double tolerance, const char *what)
{
	if (!(fabs(value - wanted) <= tolerance))
		fail_msg("%s: %.9g instead of %.9g (+- %g)", what, value, wanted, tolerance);
}

static void quantiles_of_small_sets(void **state)
{
	static const double one[] = { 7 };
	static const double two[] = { 10, 4 };
	static const double four[] = { 4, 1, 3, 2 };
	static const double equal[] = { 5, 5, 5 };

	(void)state;
	assert_near(statistics_median(one, 1), 7, 0, "median of 7");
	assert_near(statistics_median(two, 2), 7, 0, "median of 10 4");
	assert_near(statistics_median(four, 4), 2.5, 0, "median of 4 1 3 2");
	assert_near(statistics_quantile(four, 4, 0), 1, 0, "lowest of 4 1 3 2");
	assert_near(statistics_quantile(four, 4, 1), 4, 0, "highest of 4 1 3 2");
	assert_near(statistics_quantile(four, 4, 0.25), 1.75, 1e-12, "first quartile of 4 1 3 2");
	assert_near(statistics_median(equal, 3), 5, 0, "median of 5 5 5");
	assert_true(isnan(statistics_median(one, 0)));
}

static void student_quantiles_of_the_tables(void **state)
{
	static const struct {
		double two_sided;
		size_t degrees;
		double t;
	} known[] = {
		{ 0.05, 1, 12.706205 },	   { 0.05, 10, 2.228139 },   { 0.01, 5, 4.032143 },
		{ 0.0025, 5, 5.604165 },   { 0.0025, 20, 3.455438 }, { 0.05, 120, 1.979930 },
		{ 0.0025, 1, 254.646600 }, { 0.5, 2, 0.816497 },     { 0.05, 100000, 1.959988 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++) {
		double t = statistics_student_t(known[i].two_sided, known[i].degrees);

		if (fabs(t - known[i].t) > 2e-6 * known[i].t)
			fail_msg("t for %g and %zu degrees: %.7f instead of %.7f",
				 known[i].two_sided, known[i].degrees, t, known[i].t);
	}
}

/* A standard normal value, by the method of Box and Muller. */
static double draw_normal(struct random *random)
{
	double u = ((double)(random_next(random) >> 11) + 1) / 9007199254740993.0;
	double v = (double)(random_next(random) >> 11) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void efficiency_is_that_of_drawn_medians(void **state)
{
	struct random random;
	const int draws = 40000;

	(void)state;
	random_start(&random, 1);
	for (size_t n = 1; n <= 14; n++) {
		double values[16], sum_of_squares = 0, found;

		for (int i = 0; i < draws; i++) {
			for (size_t j = 0; j < n; j++)
				values[j] = draw_normal(&random);
			sum_of_squares += pow(statistics_median(values, n), 2);
		}
		found = sqrt(sum_of_squares / draws * (double)n);
		/* Beyond the table, the limit is taken: it may be too large, never too small. */
		if (fabs(found / statistics_median_efficiency(n) - 1) > (n > 12 ? 0.06 : 0.015))
			fail_msg("n = %zu: %.4f was drawn, %.4f is told", n, found,
				 statistics_median_efficiency(n));
	}
}

static void spread_is_pooled_over_logarithms(void **state)
{
	static const double a[] = { 9, 11 };
	static const double b[] = { 1100, 900 }; /* the same, a hundred times as fast */
	static const double alone[] = { 5 };
	static const double nothing[] = { 0, 1 };
	/* Each is half of ln(11 / 9) away from its mean. */
	const double deviation = log(11.0 / 9) / 2 * sqrt(2);
	struct spread spread = { 0 };

	(void)state;
	assert_true(isnan(spread_deviation(&spread)));
	spread_add(&spread, alone, 1);
	spread_add(&spread, nothing, 2);
	assert_true(isnan(spread_deviation(&spread)));
	assert_true(isnan(spread_noise(&spread, 2, 2, 0.01)));
	spread_add(&spread, a, 2);
	assert_near(spread_deviation(&spread), deviation, 1e-12, "spread of 9 11");
	spread_add(&spread, b, 2);
	assert_int_equal(spread.degrees_of_freedom, 2);
	assert_near(spread_deviation(&spread), deviation, 1e-12, "pooled spread");
	/* t for 1 % and 2 degrees is 9.92484; the median of two is their mean. */
	assert_near(spread_noise(&spread, 2, 2, 0.01), exp(9.92484 * deviation) - 1, 1e-4, "noise");
	assert_true(isnan(spread_noise(&spread, 0, 2, 0.01)));
}

/* Equal columns, drawn: their medians differ by more than the noise as often as is said, no more.
 */
static void noise_is_seldom_exceeded_by_equals(void **state)
{
	static const struct {
		size_t columns, repeats;
	} shapes[] = { { 5, 2 }, { 10, 3 }, { 3, 5 } };
	const double false_alarm = 0.05;
	const int experiments = 8000;
	struct random random;

	(void)state;
	random_start(&random, 2);
	for (size_t shape = 0; shape < COUNT(shapes); shape++) {
		size_t n = shapes[shape].repeats;
		int alarms = 0;

		for (int i = 0; i < experiments; i++) {
			struct spread spread = { 0 };
			double cells[10][8], difference;

			for (size_t column = 0; column < shapes[shape].columns; column++) {
				for (size_t j = 0; j < n; j++)
					cells[column][j] = 1000 + 10 * draw_normal(&random);
				spread_add(&spread, cells[column], n);
			}
			difference =
				statistics_median(cells[0], n) / statistics_median(cells[1], n) - 1;
			alarms += fabs(difference) > spread_noise(&spread, n, n, false_alarm);
		}
		if (fabs(alarms / (double)experiments - false_alarm) > 0.012)
			fail_msg("%zu columns of %zu repeats: %d alarms in %d experiments, wanted "
				 "about %g",
				 shapes[shape].columns, n, alarms, experiments,
				 false_alarm * experiments);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_of_small_sets),
		cmocka_unit_test(student_quantiles_of_the_tables),
		cmocka_unit_test(efficiency_is_that_of_drawn_medians),
		cmocka_unit_test(spread_is_pooled_over_logarithms),
		cmocka_unit_test(noise_is_seldom_exceeded_by_equals),
	};

	return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
