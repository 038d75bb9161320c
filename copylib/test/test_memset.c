/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * memset of every variant that has one: 0..7 bytes from the guard page before or behind it, every
 * byte value, and ints of which only the low 8 bits count.
 */
#include <limits.h>

#include "copylib/test/guarded.h"

static struct area destination;
static unsigned char wanted[AREA_BYTES];

static void check_set(const struct copy_variant *variant, size_t n, int value, enum flush flush,
		      size_t offset)
{
	unsigned char *dst = place(&destination, flush, offset, n);
	struct area part = around(&destination, dst, n);
	size_t length = part.end - part.start;
	void *returned = NULL;
	bool survived;

	memset(part.start, ~value & 0xff, length);
	memset(wanted, ~value & 0xff, length);
	memset(wanted + (dst - part.start), value & 0xff, n);

	survived = call_set(variant->memset, dst, value, n, &returned);
	if (survived && returned == dst && memcmp(part.start, wanted, length) == 0)
		return;
	print_error(
		"%s memset: size %zu, value %d (0x%x), destination +%zu %s; address %zu modulo 8\n",
		variant->name, n, value, (unsigned int)value, offset, flush_names[flush],
		(size_t)((uintptr_t)dst % 8));
	if (survived)
		report_outcome(returned, &part, wanted, dst, n);
	else
		report_crash("destination", &destination, dst, n);
	fail();
}

static void check_size(const struct copy_variant *variant, size_t n, int value)
{
	size_t offset;

	for (offset = 0; offset < 8; offset++) {
		check_set(variant, n, value, FRONT, offset);
		check_set(variant, n, value, BACK, offset);
	}
}

static void every_small_size(void **state)
{
	size_t n;

	catch_crashes();
	for (n = 0; n <= EVERY_SIZE_BYTES; n++) {
		check_size(*state, n, 0);
		check_size(*state, n, 0x5c);
	}
}

static void a_selection_of_larger_sizes(void **state)
{
	size_t i;

	catch_crashes();
	for (i = 0; i < sizeof(larger_sizes) / sizeof(larger_sizes[0]); i++) {
		check_size(*state, larger_sizes[i], 0);
		check_size(*state, larger_sizes[i], 0x5c);
	}
}

static const size_t sizes_for_values[] = { 0, 1, 7, 8, 15, 16, 17, 31, 32, 63, 64, 129, 300 };

static void check_value(const struct copy_variant *variant, int value)
{
	size_t i;

	for (i = 0; i < sizeof(sizes_for_values) / sizeof(sizes_for_values[0]); i++)
		check_size(variant, sizes_for_values[i], value);
}

static void every_byte_value(void **state)
{
	int value;

	catch_crashes();
	for (value = 0; value <= 0xff; value++)
		check_value(*state, value);
}

static void ints_outside_a_byte(void **state)
{
	static const int values[] = { -1,     -2,      -127,   -128,	   -129,
				      -256,   INT_MIN, 256,    257,	   0x17f,
				      0x180,  0x1ff,   0x5a00, 0x12345678, -300,
				      0xff00, 65535,   65536,  INT_MAX,	   INT_MAX - 0xff };
	size_t i;

	catch_crashes();
	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		check_value(*state, values[i]);
}

static bool has_memset(const struct copy_variant *variant)
{
	return variant->memset;
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		cmocka_unit_test(every_small_size),
		cmocka_unit_test(a_selection_of_larger_sizes),
		cmocka_unit_test(every_byte_value),
		cmocka_unit_test(ints_outside_a_byte),
	};
	int failed;

	destination = map_area();
	failed = run_with_each_variant("copylib memset", cases, sizeof(cases) / sizeof(cases[0]),
				       has_memset);
	unmap_area(&destination);
	return failed;
}
