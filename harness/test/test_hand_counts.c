/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Counts by hand: what the judge counts for memcpy of byte, linux, linux-shift and fast, against
 * sums that were written down from the sources, branch by branch. In the sums each number is the
 * instructions from one label or branch to the next.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "copylib/copylib.h"
#include "harness/copies/subject.h"
#include "harness/sim/judge.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WORD	     8

static const struct {
	unsigned int dst, src;
} alignments[] = { { 0, 0 }, { 3, 3 }, { 0, 1 }, { 0, 4 }, { 5, 2 }, { 6, 2 } };

/* gcc's loop: add, bgeu; mv; load, two additions, store, branch for each byte; ret. */
static size_t byte_by_hand(size_t n, unsigned int d, unsigned int s)
{
	(void)d;
	(void)s;
	return n ? 2 + 1 + 5 * n + 1 : 2 + 1;
}

/* linux.h, linux_tail: half words where source, destination and end allow them. */
static size_t linux_tail(size_t n, size_t d, size_t s)
{
	bool halves = (d | s | (s + n)) % 4 == 0;

	return n ? 6 + 5 * (halves ? n / 4 : n) + 1 : 1 + 1;
}

/* linux.h, linux_blocks, from 128 bytes on; after_blocks: what follows them, up to the tail. */
static size_t linux_blocks(size_t n, size_t d, size_t s, size_t after_blocks)
{
	size_t head = -s % WORD;
	size_t sum = head ? 6 + 5 * head : 2;
	size_t blocks = (n - head) / 128;

	n -= head;
	sum += 2;
	if (blocks)
		sum += 1 + 35 * blocks + 1 + after_blocks;
	return sum + linux_tail(n - 128 * blocks, d + head, s + head);
}

static size_t linux_by_hand(size_t n, unsigned int d, unsigned int s)
{
	if (n < 128)
		return 3 + linux_tail(n, d, s);
	if ((d ^ s) % WORD)
		return 6 + linux_tail(n, d, s);
	return 6 + linux_blocks(n, d, s, 0);
}

static size_t linux_shift_by_hand(size_t n, unsigned int d, unsigned int s)
{
	size_t head = -d % WORD, sum;

	if ((d ^ s) % WORD == 0)
		return 4 + 2 + (n < 128 ? linux_tail(n, d, s) : linux_blocks(n, d, s, 1));
	if (n < 16)
		return 4 + 2 + linux_tail(n, d, s);
	sum = 4 + 2 + 3 + (head ? 1 + 6 * head : 0);
	sum += 8 + 9 * ((n - head) / WORD) + 2;
	/* What is left begins where the destination is aligned, and the source is not. */
	return sum + linux_tail((n - head) % WORD, 0, s + head + (n - head) / WORD * WORD);
}

/* fast.h, pieces_of_word: two to find them, three of the jump, and the pieces with the return. */
static size_t fast_pieces(size_t left)
{
	static const size_t pieces[] = { 0, 2, 2, 4, 2, 4, 4, 6 };

	return 1 + 3 + pieces[left];
}

/* fast.h, .Lwords: a row of words, then the pieces of one or the return. */
static size_t fast_words(size_t n)
{
	return 5 + 3 + (2 * (n / WORD) - 1) + 1 + (n % WORD ? 1 + fast_pieces(n % WORD) : 1);
}

static size_t fast_aligned(size_t n)
{
	size_t sum = 8 + 2;

	if (n < 128)
		return sum + 1 + fast_words(n);
	sum += 1 + 35 * (n / 128) + 3;
	n %= 128;
	if (n >= WORD)
		return sum + fast_words(n);
	return sum + 1 + (n ? 1 + fast_pieces(n) : 1);
}

/* The destination aligned, the source so far past a word, neither 0 nor 4. */
static size_t fast_merging(size_t n, unsigned int past)
{
	size_t sum = 5 + 4 + 1 + 7, left = n % WORD;

	if (n >= 32)
		sum += 1 + 2;
	if (n >= 64)
		sum += 2 + 43 * (n / 64) + 4;
	if (n >= 32 && n % 64 >= 32)
		sum += 22;
	sum += 2 + (n % 32 >= 16 ? 12 : 0) + 2 + (n % 16 >= 8 ? 7 : 0) + 2;
	if (!left)
		return sum + 1;
	/* What is left may reach into one more word. */
	return sum + 3 + (left > WORD - past ? 4 : 0) + fast_pieces(left);
}

static size_t fast_by_hand(size_t n, unsigned int d, unsigned int s)
{
	if (n < 16 || d)
		return 0; /* not written down */
	if (s == 0)
		return fast_aligned(n);
	return s == 4 ? 0 : fast_merging(n, s);
}

/* Sizes at which each of the ways begins and ends. */
static void compare(const char *name, size_t (*by_hand)(size_t n, unsigned int d, unsigned int s),
		    size_t at_least)
{
	static const size_t sizes[] = {
		0,  1,	3,   7,	  8,   15,  16,	 17,  24,   31,	  32,	48,
		63, 64, 100, 127, 128, 129, 200, 256, 1000, 1448, 1500, 4096
	};
	const struct copy_variant *variant = copy_variant_find(name);
	struct subject subject = { .variant = variant };
	struct rv64_image image = { 0 };
	struct judge *judge;
	size_t bytes, compared = 0;
	const void *file = rv64_builtin_variants(&bytes);
	char why[256];

	if (!file)
		skip();
	assert_true(rv64_image_load(&image, file, bytes, why, sizeof(why)));
	assert_true(subject_find(&subject, variant, &image));
	judge = judge_create(&image, 16);
	assert_non_null(judge);
	for (size_t i = 0; i < COUNT(sizes); i++)
		for (size_t j = 0; j < COUNT(alignments); j++) {
			const struct judge_call call = { .function = COPY_MEMCPY,
							 .entry = subject.entry[0],
							 .bytes = sizes[i],
							 .dst_align = 64 + alignments[j].dst,
							 .src_align = 64 + alignments[j].src,
							 .src_fault = JUDGE_NO_FAULT,
							 .dst_fault = JUDGE_NO_FAULT };
			size_t wanted = by_hand(sizes[i], alignments[j].dst, alignments[j].src);
			struct judge_verdict verdict;

			if (!wanted)
				continue;
			judge_run(judge, &call, &verdict);
			assert_true(verdict.right);
			if (verdict.counts.instructions != wanted)
				fail_msg("%s, %zu bytes, %u and %u past a word: %llu, by hand %zu",
					 name, sizes[i], alignments[j].dst, alignments[j].src,
					 (unsigned long long)verdict.counts.instructions, wanted);
			compared++;
		}
	judge_destroy(judge);
	rv64_image_free(&image);
	assert_in_range(compared, at_least, COUNT(sizes) * COUNT(alignments));
}

static void byte_is_as_by_hand(void **state)
{
	(void)state;
	compare("byte", byte_by_hand, 100);
}

static void linux_is_as_by_hand(void **state)
{
	(void)state;
	compare("linux", linux_by_hand, 100);
}

static void linux_shift_is_as_by_hand(void **state)
{
	(void)state;
	compare("linux-shift", linux_shift_by_hand, 100);
}

static void fast_is_as_by_hand(void **state)
{
	(void)state;
	compare("fast", fast_by_hand, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(byte_is_as_by_hand),
		cmocka_unit_test(linux_is_as_by_hand),
		cmocka_unit_test(linux_shift_is_as_by_hand),
		cmocka_unit_test(fast_is_as_by_hand),
	};

	return cmocka_run_group_tests_name("hand_counts", tests, NULL, NULL);
}
