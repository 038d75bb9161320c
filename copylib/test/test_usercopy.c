/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The user copies, for real: pages that cannot be touched at every position of source and of
 * destination, and faults of other instructions, which go to whoever handled them before. How far
 * the published routines depart from the contract is told by harness copy verify; here, that no
 * byte is called copied that was not.
 */
#include <pthread.h>

#include "copylib/test/guarded.h"
#include "copylib/usercopy.h"

/* The most that a block loop leaves behind: it is advanced after 8 words, and so is a half word. */
#define LATE_BYTES_MAX 72

static struct area src_area, dst_area;

static bool has_usercopy(const struct copy_variant *variant)
{
	/* A portable one has its user copy only on machines that it is written for. */
	return variant->functions & COPY_USERCOPY &&
	       (variant->usercopy || !copy_variant_runs_here(variant));
}

static void set_up(void)
{
	src_area = map_area();
	dst_area = map_area();
	fill_with_noise(&src_area);
	catch_crashes();
	if (copy_faults_catch())
		fail_setup("copy_faults_catch");
}

static void tear_down(void)
{
	unmap_area(&src_area);
	unmap_area(&dst_area);
}

/* One call; possible: how many bytes can be copied. */
static void check_call(const struct copy_variant *variant, unsigned char *dst,
		       const unsigned char *src, size_t n, size_t possible)
{
	/* Our own keep the contract: not a byte less, and nothing beyond what they say. */
	bool exact = strcmp(variant->name, "fast") == 0 || strcmp(variant->name, "c-fast") == 0;
	size_t late_max = exact ? 0 : LATE_BYTES_MAX;
	size_t residue, copied, i;

	memset(dst_area.start, 0x5a, (size_t)(dst_area.end - dst_area.start));
	residue = variant->usercopy(dst, src, n);
	copied = n - residue;
	if (residue > n || copied > possible || possible - copied > late_max ||
	    (possible == n && residue))
		fail_msg("size %zu, dst %zu, src %zu: %zu can be copied, returned %zu", n,
			 (uintptr_t)dst % 8, (uintptr_t)src % 8, possible, residue);
	for (i = 0; i < copied; i++)
		if (dst[i] != src[i])
			fail_msg("size %zu, dst %zu, src %zu: byte %zu is 0x%02x, not 0x%02x", n,
				 (uintptr_t)dst % 8, (uintptr_t)src % 8, i, dst[i], src[i]);
	for (i = copied; exact && i < n && dst + i < dst_area.end; i++)
		if (dst[i] != 0x5a)
			fail_msg("size %zu, dst %zu, src %zu: byte %zu was written, %zu are said "
				 "to be",
				 n, (uintptr_t)dst % 8, (uintptr_t)src % 8, i, copied);
	if (dst > dst_area.start && dst[-1] != 0x5a)
		fail_msg("size %zu, dst %zu: the byte before it was written", n,
			 (uintptr_t)dst % 8);
	if (dst + n < dst_area.end && dst[n] != 0x5a)
		fail_msg("size %zu, dst %zu: the byte after it was written", n, (uintptr_t)dst % 8);
}

static void copies_all_when_nothing_faults(void **state)
{
	const struct copy_variant *variant = *state;
	size_t n, a, b;

	set_up();
	for (n = 0; n <= 200; n++)
		for (a = 0; a < 8; a++)
			for (b = 0; b < 8; b++)
				check_call(variant, dst_area.end - n - a, src_area.end - n - b, n,
					   n);
	for (a = 0; a < 8; a++)
		check_call(variant, dst_area.start + a, src_area.start, 9000, 9000);
	tear_down();
}

static const size_t sizes[] = { 1,  2,	 3,   5,   7,	8,   9,	  15,  16,  17,	 24,
				31, 33,	 63,  64,  65,	70,  71,  72,  73,  79,	 80,
				95, 127, 128, 129, 136, 200, 300, 767, 768, 769, 1100 };
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void source_may_fault_at_every_byte(void **state)
{
	const struct copy_variant *variant = *state;
	size_t i, position, align;

	set_up();
	for (i = 0; i < SIZES; i++)
		for (position = 0; position < sizes[i]; position++)
			for (align = 0; align < 8; align++)
				check_call(variant, dst_area.start + 64 + align,
					   src_area.end - position, sizes[i], position);
	tear_down();
}

static void destination_may_fault_at_every_byte(void **state)
{
	const struct copy_variant *variant = *state;
	size_t i, position, align;

	set_up();
	for (i = 0; i < SIZES; i++)
		for (position = 0; position < sizes[i]; position++)
			for (align = 0; align < 8; align++)
				check_call(variant, dst_area.end - position,
					   src_area.start + 64 + align, sizes[i], position);
	tear_down();
}

static void *faulting_thread(void *argument)
{
	const struct copy_variant *variant = argument;
	struct area own = map_area();
	unsigned char target[256];
	size_t turn, wrong = 0;

	for (turn = 0; turn < 2000; turn++)
		wrong += variant->usercopy(target, own.end - turn % 100, 128) < 28;
	unmap_area(&own);
	return wrong ? argument : NULL;
}

static void threads_fault_at_the_same_time(void **state)
{
	pthread_t threads[4];
	void *wrong;
	size_t i;

	set_up();
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, faulting_thread, *state), 0);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], &wrong);
		assert_null(wrong);
	}
	tear_down();
}

/* What is no user copy faults as if nobody had come between. */
static void other_faults_go_to_the_handler_before(void **state)
{
	copy_memcpy_fn *other = copy_variant_find("byte")->memcpy;
	void *returned;

	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* its own handler does not survive a jump out of ours */
#endif
	set_up();
	assert_false(call_copy(other, dst_area.start, src_area.end - 4, 8, &returned));
	assert_int_equal(copy_faults_catch(), 0); /* a second time changes nothing */
	assert_false(call_copy(other, dst_area.start, src_area.end - 4, 8, &returned));
	tear_down();
}

static void handle_own(int number, siginfo_t *info, void *context)
{
	if (!copy_fault_fixup(context))
		return_from_crash(number, info, context);
}

/* A program that keeps its own handler asks for the fix-up itself. */
static void a_handler_of_the_program_can_fix_up(void **state)
{
	struct sigaction action = { .sa_sigaction = handle_own,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };
	const struct copy_variant *variant = *state;

	set_up();
	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
	check_call(variant, dst_area.start, src_area.end - 5, 8, 5);
	tear_down();
}

int main(void)
{
	static const struct CMUnitTest cases[] = {
		cmocka_unit_test(copies_all_when_nothing_faults),
		cmocka_unit_test(source_may_fault_at_every_byte),
		cmocka_unit_test(destination_may_fault_at_every_byte),
		cmocka_unit_test(threads_fault_at_the_same_time),
		cmocka_unit_test(other_faults_go_to_the_handler_before),
		cmocka_unit_test(a_handler_of_the_program_can_fix_up),
	};

	return run_with_each_variant("user copies", cases, sizeof(cases) / sizeof(cases[0]),
				     has_usercopy);
}
