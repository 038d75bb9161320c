/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Statistics: quantiles by rank, so that nothing is sorted or allocated; the t quantile by
 * bisection of the incomplete beta function, which is a continued fraction.
 */
#include <math.h>

#include "harness/measure/statistics.h"

/* The value that would stand at a rank if the values were sorted: for a few hundred, counting is
 * enough. */
static double value_of_rank(const double *values, size_t count, size_t rank)
{
	for (size_t i = 0; i < count; i++) {
		size_t below = 0, equal = 0;

		for (size_t j = 0; j < count; j++) {
			below += values[j] < values[i];
			equal += values[j] == values[i];
		}
		if (below <= rank && rank < below + equal)
			return values[i];
	}
	return NAN;
}

double statistics_quantile(const double *values, size_t count, double p)
{
	double position, low, high;
	size_t rank;

	if (!count)
		return NAN;
	position = p * (double)(count - 1);
	rank = (size_t)position;
	low = value_of_rank(values, count, rank);
	if (rank + 1 >= count)
		return low;
	high = value_of_rank(values, count, rank + 1);
	return low + (position - (double)rank) * (high - low);
}

double statistics_median(const double *values, size_t count)
{
	return statistics_quantile(values, count, 0.5);
}

/*
 * The continued fraction of the incomplete beta function, by Lentz's method: front and back are the
 * two ratios of successive terms, whose product converges to 1.
 */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double front = 1, back, value;

	back = 1 - (a + b) * x / (a + 1);
	back = 1 / (fabs(back) < tiny ? tiny : back);
	value = back;
	for (int m = 1; m < 1000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		const double terms[] = { even, odd };

		for (int i = 0; i < 2; i++) {
			back = 1 + terms[i] * back;
			back = 1 / (fabs(back) < tiny ? tiny : back);
			front = 1 + terms[i] / front;
			if (fabs(front) < tiny)
				front = tiny;
			value *= front * back;
		}
		if (fabs(front * back - 1) < 1e-15)
			break;
	}
	return value;
}

/* The regularized incomplete beta function; the fraction converges fast on one side of the mean
 * only. */
static double incomplete_beta(double x, double a, double b)
{
	double logarithm;

	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	logarithm = lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x);
	if (x < (a + 1) / (a + b + 2))
		return exp(logarithm) * beta_fraction(x, a, b) / a;
	return 1 - exp(logarithm) * beta_fraction(1 - x, b, a) / b;
}

/* The probability that a Student t is beyond -t .. t. */
static double student_tail(double t, double degrees)
{
	return incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

double statistics_student_t(double two_sided, size_t degrees_of_freedom)
{
	double low = 0, high = 1;

	while (student_tail(high, (double)degrees_of_freedom) > two_sided)
		high *= 2;
	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (student_tail(middle, (double)degrees_of_freedom) > two_sided)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

double statistics_median_efficiency(size_t n)
{
	static const double exact[] = { 1,	1,	1,	1.1602, 1.0922, 1.1976, 1.1352,
					1.2137, 1.1600, 1.2227, 1.1763, 1.2283, 1.1878 };

	if (n < sizeof(exact) / sizeof(exact[0]))
		return exact[n];
	return sqrt(M_PI / 2); /* the limit, which no n exceeds */
}

void spread_add(struct spread *spread, const double *values, size_t count)
{
	double mean = 0;

	if (count < 2)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			return;
		mean += log(values[i]) / (double)count;
	}
	for (size_t i = 0; i < count; i++)
		spread->sum_of_squares += pow(log(values[i]) - mean, 2);
	spread->degrees_of_freedom += count - 1;
}

double spread_deviation(const struct spread *spread)
{
	if (!spread->degrees_of_freedom)
		return NAN;
	return sqrt(spread->sum_of_squares / (double)spread->degrees_of_freedom);
}

double spread_noise(const struct spread *spread, size_t n_a, size_t n_b, double false_alarm)
{
	double variance_a, variance_b;

	if (!spread->degrees_of_freedom || !n_a || !n_b)
		return NAN;
	variance_a = pow(statistics_median_efficiency(n_a), 2) / (double)n_a;
	variance_b = pow(statistics_median_efficiency(n_b), 2) / (double)n_b;
	return expm1(statistics_student_t(false_alarm, spread->degrees_of_freedom) *
		     spread_deviation(spread) * sqrt(variance_a + variance_b));
}
