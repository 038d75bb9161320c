/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * memmove of every variant that has one: every distance between the two buffers, from just apart on
 * one side through every overlap to just apart on the other, with the lower end of both flush
 * against the front guard page or the upper end against the back one, and 0..7 bytes from it.
 */
#include "copylib/test/guarded.h"

static struct area area;
static struct area noise; /* what the area holds before each move */
static unsigned char wanted[AREA_BYTES];

/* `distance` is destination minus source. */
static void check_move(const struct copy_variant *variant, size_t n, ptrdiff_t distance,
		       enum flush flush, size_t offset)
{
	size_t apart = distance < 0 ? -distance : distance;
	unsigned char *low = place(&area, flush, offset, n + apart);
	unsigned char *src = distance < 0 ? low + apart : low;
	unsigned char *dst = src + distance;
	struct area part = around(&area, low, n + apart);
	const unsigned char *before = noise.start + (part.start - area.start);
	size_t length = part.end - part.start;
	void *returned = NULL;
	bool survived;

	memcpy(part.start, before, length);
	memcpy(wanted, before, length);
	memcpy(wanted + (dst - part.start), before + (src - part.start), n);

	survived = call_copy(variant->memmove, dst, src, n, &returned);
	if (survived && returned == dst && memcmp(part.start, wanted, length) == 0)
		return;
	print_error(
		"%s memmove: size %zu, destination = source %+td, the lower +%zu %s; addresses %zu "
		"and %zu modulo 8\n",
		variant->name, n, distance, offset, flush_names[flush],
		(size_t)((uintptr_t)src % 8), (size_t)((uintptr_t)dst % 8));
	if (survived)
		report_outcome(returned, &part, wanted, dst, n);
	else
		report_crash("source", &area, src, n);
	fail();
}

static void check_distance(const struct copy_variant *variant, size_t n, ptrdiff_t distance)
{
	size_t offset;

	for (offset = 0; offset < 8; offset++) {
		check_move(variant, n, distance, FRONT, offset);
		check_move(variant, n, distance, BACK, offset);
	}
}

static void check_every_distance(const struct copy_variant *variant, size_t n)
{
	ptrdiff_t most = n + 9;
	ptrdiff_t distance;

	for (distance = -most; distance <= most; distance++)
		check_distance(variant, n, distance);
}

static void every_overlap_of_small_sizes(void **state)
{
	size_t n;

	catch_crashes();
	for (n = 0; n <= 160; n++)
		check_every_distance(*state, n);
	for (n = 161; n <= EVERY_SIZE_BYTES; n += 13)
		check_every_distance(*state, n);
}

/* Overlaps by nearly everything and by nearly nothing, which blocks and merges could get wrong. */
static void overlaps_of_larger_sizes(void **state)
{
	static const size_t sizes[] = { 511, 512, 1025, 4096, 4109, 8193 };
	ptrdiff_t distance;
	size_t i;

	catch_crashes();
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (distance = 1; distance <= 137; distance++) {
			check_distance(*state, sizes[i], distance);
			check_distance(*state, sizes[i], -distance);
		}
		for (distance = sizes[i] - 17; distance <= (ptrdiff_t)sizes[i] + 9; distance++) {
			check_distance(*state, sizes[i], distance);
			check_distance(*state, sizes[i], -distance);
		}
	}
}

static bool has_memmove(const struct copy_variant *variant)
{
	return variant->memmove;
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(every_overlap_of_small_sizes),
		cmocka_unit_test(overlaps_of_larger_sizes),
	};
	int failed;

	area = map_area();
	noise = map_area();
	fill_with_noise(&noise);
	failed = run_with_each_variant("copylib memmove", cases, sizeof(cases) / sizeof(cases[0]),
				       has_memmove);
	unmap_area(&area);
	unmap_area(&noise);
	return failed;
}
