/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The judge: it finds every seeded mistake (harness/test/mutants), takes what is right, and counts
 * what the loops of the literature are known to take.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/copies/judged.h"
#include "harness/sim/image.h"

#ifdef MUTANTS_FILE
__asm__(".section .rodata\n.balign 8\nmutants_begin:\n.incbin \"" MUTANTS_FILE
	"\"\nmutants_end:\n.byte 0\n.previous\n");
extern const unsigned char mutants_begin[], mutants_end[];
#endif

static struct rv64_image image;

static int load(const void *file, size_t bytes)
{
	char why[128];

	if (!file)
		return -1;
	if (!rv64_image_load(&image, file, bytes, why, sizeof(why)))
		fail_msg("the image: %s", why);
	return 0;
}

/* -- mutants ------------------------------------------------------------------------------- */

/* What gives a mistake away. */
enum sign {
	NONE,	    /* it is right */
	WRONG,	    /* a call is */
	MISALIGNED, /* accesses are */
	LATE,	    /* the contract of user copies is not kept: */
	BEYOND,
};

static const struct mutant {
	const char *name;
	enum copy_function function;
	enum sign sign;
	const char *problem; /* a part of what is said of it */
} mutants[] = {
	{ "control_memcpy", COPY_MEMCPY, NONE, "" },
	{ "dropped_tail_memcpy", COPY_MEMCPY, WRONG, "should be" },
	{ "byte_past_end_memcpy", COPY_MEMCPY, WRONG, "wrote destination +" },
	{ "byte_before_start_memcpy", COPY_MEMCPY, WRONG, "wrote destination -1" },
	{ "reads_word_past_end_memcpy", COPY_MEMCPY, WRONG, "read source +" },
	{ "reads_before_start_memcpy", COPY_MEMCPY, WRONG, "read source -" },
	{ "size_of_16_bits_memcpy", COPY_MEMCPY, WRONG, "of 65536 is" },
	{ "size_of_32_bits_memcpy", COPY_MEMCPY, WRONG, "returned, though memory ends" },
	{ "size_of_31_bits_memmove", COPY_MEMMOVE, WRONG, "returned, though memory ends" },
	{ "size_of_32_bits_memset", COPY_MEMSET, WRONG, "returned, though memory ends" },
	{ "size_of_32_bits_usercopy", COPY_USERCOPY, WRONG, "memory ends after" },
	{ "control_clearuser", COPY_CLEARUSER, NONE, "" },
	{ "leaves_last_clearuser", COPY_CLEARUSER, WRONG, "byte 0 of 1 is" },
	{ "one_case_memcpy", COPY_MEMCPY, WRONG, "byte 0 of 77" },
	{ "writes_and_restores_memcpy", COPY_MEMCPY, WRONG, "destination +" },
	{ "wrong_return_memcpy", COPY_MEMCPY, WRONG, "returned destination +" },
	{ "clobbers_s3_memcpy", COPY_MEMCPY, WRONG, "register x19" },
	{ "clobbers_gp_memcpy", COPY_MEMCPY, WRONG, "register x3" },
	{ "endless_memcpy", COPY_MEMCPY, WRONG, "did not end" },
	{ "jumps_away_memcpy", COPY_MEMCPY, WRONG, "jumped to 0x1000" },
	{ "misaligned_memcpy", COPY_MEMCPY, MISALIGNED, "" },
	{ "forward_only_memmove", COPY_MEMMOVE, WRONG, "should be" },
	{ "one_distance_memmove", COPY_MEMMOVE, WRONG, "should be" },
	{ "unmasked_byte_memset", COPY_MEMSET, WRONG, "should be" },
	{ "control_usercopy", COPY_USERCOPY, NONE, "" },
	{ "residue_too_small_usercopy", COPY_USERCOPY, WRONG, "can have been" },
	{ "residue_too_large_usercopy", COPY_USERCOPY, WRONG, "as not copied" },
	{ "says_nothing_usercopy", COPY_USERCOPY, WRONG, "can have been" },
	{ "stores_beyond_usercopy", COPY_USERCOPY, BEYOND, "" },
	{ "no_fixup_usercopy", COPY_USERCOPY, WRONG, "wrote destination" },
	{ "last_strip_short_memcpy", COPY_MEMCPY, WRONG, "should be" },
	{ "leaves_vstart_memcpy", COPY_MEMCPY, WRONG, "vstart" },
};

static enum sign sign_of(const struct trials_result *result)
{
	if (result->wrong)
		return WRONG;
	if (result->misaligned)
		return MISALIGNED;
	if (result->beyond_bytes)
		return BEYOND;
	return result->late_bytes ? LATE : NONE;
}

static void every_mutant_is_found(void **state)
{
	struct judge *judge;

	(void)state;
#ifdef MUTANTS_FILE
	load(mutants_begin, (size_t)(mutants_end - mutants_begin));
#else
	skip();
#endif
	judge = judge_create(&image, 16);
	assert_non_null(judge);
	for (size_t i = 0; i < sizeof(mutants) / sizeof(mutants[0]); i++) {
		struct subject subject = { 0 };
		struct trials_result result;
		size_t function = 0;

		while (1u << function != (unsigned int)mutants[i].function)
			function++;
		if (!rv64_image_function(&image, mutants[i].name, &subject.entry[function],
					 &subject.code_bytes[function]))
			fail_msg("no mutant %s", mutants[i].name);
		judged_function(judge, &subject, function, &trials_quick, NULL, NULL, &result);
		if (sign_of(&result) != mutants[i].sign ||
		    !strstr(result.problem, mutants[i].problem))
			fail_msg("%s: sign %d, should be %d: %s", mutants[i].name, sign_of(&result),
				 mutants[i].sign, result.problem);
	}
	judge_destroy(judge);
	rv64_image_free(&image);
}

/* -- what loops take ----------------------------------------------------------------------- */

/*
 * Instructions a turn, from the difference between two sizes, both large: so heads and tails are no
 * part of it. Of assembly they are exactly what was published.
 */
static const struct loop {
	const char *variant;
	size_t function;
	unsigned int src_align;
	size_t turn_bytes;
	double a_word;
} loops[] = {
	{ "linux", 0, 0, 1024, 35 / 16.0 },
	{ "linux", 0, 1, 1024, 40 },
	{ "linux", 0, 4, 1024, 10 },
	{ "linux-shift", 0, 0, 1024, 35 / 16.0 },
	{ "linux-shift", 0, 1, 1024, 9 },
	{ "asm-shift", 0, 0, 1024, 35 / 16.0 },
	{ "asm-shift", 0, 3, 1024, 8 },
	{ "interleave", 0, 0, 1024, 3.5 },
	{ "fast", 2, 0, 1024, 66 / 64.0 },
	{ "fast", 3, 0, 1024, 35 / 16.0 },
	{ "fast", 3, 1, 1024, 43 / 8.0 },
	{ "fast", 3, 4, 1024, 35 / 8.0 },
	{ "fast-v", 0, 3, 1024, 10 / 16.0 },
	{ "fast-v", 2, 0, 1024, 6 / 16.0 },
	{ "kloos", 1, 0, 1024, 5 },
	{ "kloos", 1, 5, 1024, 7 },
	{ "duff", 2, 0, 1024, 34 / 32.0 },
	{ "rvv-m1", 0, 0, 1024, 7 / 2.0 },
	{ "rvv-m4", 0, 0, 1024, 7 / 8.0 },
	{ "rvv-m8", 0, 1, 1024, 7 / 16.0 },
	{ "rvv-m8", 2, 0, 1024, 5 / 16.0 },
	{ "usercopy-bytes", 3, 0, 1024, 5 },
	{ "usercopy-bytes", 3, 1, 1024, 40 },
	{ "usercopy-words", 3, 0, 1024, 19 / 8.0 },
	{ "usercopy-words", 3, 1, 1024, 40 },
	{ "usercopy-shift", 3, 0, 1024, 19 / 8.0 },
	{ "usercopy-shift", 3, 1, 1024, 8 },
	{ "usercopy-rvv", 3, 1, 1024, 7 / 16.0 },
};

static uint64_t count(struct judge *judge, const struct subject *subject, const struct loop *loop,
		      size_t bytes)
{
	struct judge_call call = {
		.function = (enum copy_function)(1u << loop->function),
		.entry = subject->entry[loop->function],
		.bytes = bytes,
		.src_align = loop->src_align,
		.src_fault = JUDGE_NO_FAULT,
		.dst_fault = JUDGE_NO_FAULT,
	};
	struct judge_verdict verdict;

	judge_run(judge, &call, &verdict);
	if (!verdict.right)
		fail_msg("%s of %zu bytes: %s", loop->variant, bytes, verdict.problem);
	return verdict.counts.instructions;
}

static void loops_take_what_was_published(void **state)
{
	struct judge *judge;
	size_t bytes;
	const void *file = rv64_builtin_variants(&bytes);

	(void)state;
	if (load(file, bytes))
		skip();
	judge = judge_create(&image, 16);
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		struct subject subject;
		double a_word;

		assert_true(subject_find(&subject, copy_variant_find(loops[i].variant), &image));
		a_word = (double)(count(judge, &subject, &loops[i], 4096 + loops[i].turn_bytes) -
				  count(judge, &subject, &loops[i], 4096)) /
			 ((double)loops[i].turn_bytes / 8);
		if (a_word != loops[i].a_word)
			fail_msg("%s, %s, source %u past a word: %.4f instructions a word, not "
				 "%.4f",
				 loops[i].variant, subject_function_name(loops[i].function),
				 loops[i].src_align, a_word, loops[i].a_word);
	}
	judge_destroy(judge);
	rv64_image_free(&image);
}

/* -- images -------------------------------------------------------------------------------- */

/* Whatever is cut or changed in an image: it is refused, or its functions are found or not. */
static void damaged_images_do_no_harm(void **state)
{
	size_t bytes;
	const unsigned char *file = rv64_builtin_variants(&bytes);
	static unsigned char copy[1 << 20];
	uint64_t address;
	size_t length;
	char why[128];

	(void)state;
	if (!file)
		skip();
	assert_true(bytes < sizeof(copy));
	for (size_t cut = 0; cut < bytes; cut += cut < 512 ? 1 : 97) {
		memcpy(copy, file, bytes);
		if (rv64_image_load(&image, copy, cut, why, sizeof(why)))
			rv64_image_function(&image, "linux_memcpy", &address, &length);
		rv64_image_free(&image);
		copy[cut] ^= 0xff;
		if (rv64_image_load(&image, copy, bytes, why, sizeof(why))) {
			rv64_image_function(&image, "linux_memcpy", &address, &length);
			rv64_image_fixup(&image, 0x10000, &address);
		}
		rv64_image_free(&image);
	}
	for (size_t at = bytes - 4096; at < bytes; at += 5) { /* the table of sections */
		memcpy(copy, file, bytes);
		copy[at] ^= 0xff;
		if (rv64_image_load(&image, copy, bytes, why, sizeof(why)))
			rv64_image_function(&image, "linux_memcpy", &address, &length);
		rv64_image_free(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mutant_is_found),
		cmocka_unit_test(loops_take_what_was_published),
		cmocka_unit_test(damaged_images_do_no_harm),
	};

	return cmocka_run_group_tests_name("the judge", tests, NULL, NULL);
}
