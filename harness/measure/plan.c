/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Plan: the shuffle of Fisher and Yates in Durstenfeld's form, once for each run. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/measure/plan.h"
#include "harness/measure/random.h"

#define SEED_DIGITS UINT64_C(1000000)

static void shuffle(struct planned_cell *cells, size_t count, struct random *random)
{
	for (size_t left = count; left > 1; left--) {
		size_t other = (size_t)random_below(random, left);
		struct planned_cell swapped = cells[left - 1];

		cells[left - 1] = cells[other];
		cells[other] = swapped;
	}
}

struct planned_cell *plan_create(unsigned int runs, size_t rows, size_t columns, uint64_t seed)
{
	size_t a_run = rows * columns;
	struct planned_cell *cells = runs && a_run ? calloc(runs * a_run, sizeof(*cells)) : NULL;
	struct random random;

	if (!cells)
		return NULL;
	random_start(&random, seed);
	for (unsigned int run = 0; run < runs; run++) {
		struct planned_cell *first = cells + run * a_run;

		for (size_t i = 0; i < a_run; i++)
			first[i] = (struct planned_cell){ run + 1, i / columns, i % columns };
		shuffle(first, a_run, &random);
	}
	return cells;
}

/* The order of cells within a run stays, so that it is a matter of the seed still. */
void plan_by_kernel(struct planned_cell *cells, size_t count, const char *const *kernels)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1, to = i + 1;
		     j < count && cells[j].run == cells[i].run; j++) {
			struct planned_cell cell = cells[j];

			if (strcmp(kernels[cell.column], kernels[cells[i].column]) != 0)
				continue;
			memmove(&cells[to + 1], &cells[to], (j - to) * sizeof(cell));
			cells[to++] = cell;
		}
}

uint64_t plan_seed_from_time(void)
{
	struct random random;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	random_start(&random, (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec);
	return 1 + random_below(&random, SEED_DIGITS - 1);
}
