/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Statistics: medians, the spread of repeats, and the difference of two medians that chance alone
 * seldom exceeds.
 *
 * The noise of a test is pooled over its cells: the squared deviations of all samples from their
 * cell's mean are added up and divided by the degrees of freedom. So a few repeats a cell are
 * enough, as long as there are several cells. All this is done with logarithms: then slow and fast
 * cells count alike, and half is as far from the whole as twice is.
 */
#ifndef HARNESS_MEASURE_STATISTICS_H
#define HARNESS_MEASURE_STATISTICS_H

#include <stddef.h>

/** A difference between equals is printed as more than noise in this share of the runs. */
#define STATISTICS_FALSE_ALARM 0.01

/** Quantile of unordered values, 0 <= p <= 1, between the two nearest (type 7 of Hyndman and Fan
 *  1996); 0.5 is the median, 0 the lowest, 1 the highest. count 0: NaN. */
double statistics_quantile(const double *values, size_t count, double p);

double statistics_median(const double *values, size_t count);

/** t such that a Student t of that many degrees of freedom is beyond -t .. t with this probability
 *  (0 < two_sided < 1, degrees >= 1). */
double statistics_student_t(double two_sided, size_t degrees_of_freedom);

/** Standard deviation of the median of n normal values, in units of that of their mean: 1 for 1 and
 *  2, 1.160 for 3, at most sqrt(pi / 2). Source: the variances of order statistics, as tabulated by
 *  Sarhan and Greenberg 1956; n >= 1. */
double statistics_median_efficiency(size_t n);

/** What the cells of one test have spread so far. Starts as { 0 }. */
struct spread {
	double sum_of_squares; /* of deviations from each cell's mean, as logarithms */
	size_t degrees_of_freedom;
};

/** Adds the repeats of a cell. Fewer than two, or any that is not positive, add nothing. */
void spread_add(struct spread *spread, const double *values, size_t count);

/** The pooled standard deviation of the logarithms (0.01: about 1 %); NaN without degrees of
 *  freedom. */
double spread_deviation(const struct spread *spread);

/**
 * The relative difference (0.1: a tenth more) of two medians, of n_a and n_b repeats, that chance
 * alone exceeds with probability false_alarm; NaN if nothing is known of the spread or one has no
 * repeats. A difference downwards is at least as seldom.
 */
double spread_noise(const struct spread *spread, size_t n_a, size_t n_b, double false_alarm);

#endif
