/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * memcpy of every variant: source and destination flush against a guard page, before them or
 * behind them, at all 64 pairs of distances 0..7 from it. Since a word is 8 bytes, a read outside
 * the aligned words that hold a byte of the source always meets the guard page in one of these.
 * The source is read-only.
 */
#include "copylib/test/guarded.h"

static struct area source;
static struct area inverse; /* of the source, every bit */
static struct area destination;
static unsigned char wanted[AREA_BYTES];

static void check_copy(const struct copy_variant *variant, size_t n, enum flush flush,
		       size_t source_offset, size_t destination_offset)
{
	unsigned char *src = place(&source, flush, source_offset, n);
	unsigned char *dst = place(&destination, flush, destination_offset, n);
	struct area part = around(&destination, dst, n);
	size_t length = part.end - part.start;
	void *returned = NULL;
	bool survived;

	/* Each byte of the destination differs from what it is to become. */
	memset(part.start, 0xa5, length);
	memcpy(dst, inverse.start + (src - source.start), n);
	memset(wanted, 0xa5, length);
	memcpy(wanted + (dst - part.start), src, n);

	survived = call_copy(variant->memcpy, dst, src, n, &returned);
	if (survived && returned == dst && memcmp(part.start, wanted, length) == 0)
		return;
	print_error("%s memcpy: size %zu, source +%zu, destination +%zu %s; addresses %zu and %zu "
		    "modulo 8\n",
		    variant->name, n, source_offset, destination_offset, flush_names[flush],
		    (size_t)((uintptr_t)src % 8), (size_t)((uintptr_t)dst % 8));
	if (survived) {
		report_outcome(returned, &part, wanted, dst, n);
	} else {
		report_crash("source", &source, src, n);
		report_crash("destination", &destination, dst, n);
	}
	fail();
}

static void check_size(const struct copy_variant *variant, size_t n)
{
	size_t pair;

	for (pair = 0; pair < 64; pair++) {
		check_copy(variant, n, FRONT, pair / 8, pair % 8);
		check_copy(variant, n, BACK, pair / 8, pair % 8);
	}
}

static void every_small_size(void **state)
{
	size_t n;

	catch_crashes();
	for (n = 0; n <= EVERY_SIZE_BYTES; n++)
		check_size(*state, n);
}

static void a_selection_of_larger_sizes(void **state)
{
	size_t i;

	catch_crashes();
	for (i = 0; i < sizeof(larger_sizes) / sizeof(larger_sizes[0]); i++)
		check_size(*state, larger_sizes[i]);
}

static bool has_memcpy(const struct copy_variant *variant)
{
	return variant->memcpy;
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(every_small_size),
		cmocka_unit_test(a_selection_of_larger_sizes),
	};
	size_t i;
	int failed;

	source = map_area();
	inverse = map_area();
	destination = map_area();
	fill_with_noise(&source);
	for (i = 0; source.start + i < source.end; i++)
		inverse.start[i] = ~source.start[i];
	if (mprotect(source.start, source.end - source.start, PROT_READ))
		fail_setup("read-only source");
	failed = run_with_each_variant("copylib memcpy", cases, sizeof(cases) / sizeof(cases[0]),
				       has_memcpy);
	unmap_area(&source);
	unmap_area(&inverse);
	unmap_area(&destination);
	return failed;
}
