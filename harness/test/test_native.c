/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Trials on this machine: seeded mistakes are found, each by the sign that it gives; a routine that
 * crashes, never ends or leaves the program spoils nothing else; what is right is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "copylib/usercopy.h"
#include "harness/copies/native.h"
#include "harness/copies/registers.h"

static const struct trials_range range = {
	.every_size_to = 80,
	.fault_size_to = 20,
	.overlap_size_to = 20,
	.all_aligned_to = 1024,
	.largest = 64 << 10,
};

/* -- what mutants are made of -------------------------------------------------------------- */

/* One byte after the other, however the compiler would like to do it. */
static void bytes_forward(void *dst, const void *src, size_t n)
{
	volatile unsigned char *to = dst;
	const volatile unsigned char *from = src;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i];
}

static void *right_memcpy(void *dst, const void *src, size_t n)
{
	bytes_forward(dst, src, n);
	return dst;
}

static void *right_memmove(void *dst, const void *src, size_t n)
{
	volatile unsigned char *to = dst;
	const volatile unsigned char *from = src;

	if ((uintptr_t)dst - (uintptr_t)src >= n)
		bytes_forward(dst, src, n);
	else
		while (n-- > 0)
			to[n] = from[n];
	return dst;
}

static void *right_memset(void *dst, int value, size_t n)
{
	volatile unsigned char *to = dst;

	for (size_t i = 0; i < n; i++)
		to[i] = (unsigned char)value;
	return dst;
}

/* -- memcpy -------------------------------------------------------------------------------- */

static void *dropped_tail(void *dst, const void *src, size_t n)
{
	return right_memcpy(dst, src, n > 9 ? n & ~(size_t)7 : n);
}

static void *byte_past_end(void *dst, const void *src, size_t n)
{
	right_memcpy(dst, src, n);
	((volatile unsigned char *)dst)[n] ^= 1;
	return dst;
}

static void *byte_before_start(void *dst, const void *src, size_t n)
{
	right_memcpy(dst, src, n);
	((volatile unsigned char *)dst)[-1] ^= 1;
	return dst;
}

static void *writes_and_restores(void *dst, const void *src, size_t n)
{
	volatile unsigned char *past = (unsigned char *)dst + n;
	unsigned char was = *past;

	*past = 0;
	*past = was;
	return right_memcpy(dst, src, n);
}

static void *reads_word_past_end(void *dst, const void *src, size_t n)
{
	(void)*(const volatile unsigned char *)((const unsigned char *)src + n + 7);
	return right_memcpy(dst, src, n);
}

static void *reads_before_start(void *dst, const void *src, size_t n)
{
	(void)*(const volatile unsigned char *)((const unsigned char *)src - 8);
	return right_memcpy(dst, src, n);
}

static void *size_of_16_bits(void *dst, const void *src, size_t n)
{
	return right_memcpy(dst, src, n & 0xffff);
}

static void *size_of_32_bits(void *dst, const void *src, size_t n)
{
	return right_memcpy(dst, src, n & 0xffffffff);
}

static void *one_case(void *dst, const void *src, size_t n)
{
	right_memcpy(dst, src, n);
	if (n == 77 && (uintptr_t)src % 8 == 5 && (uintptr_t)dst % 8 == 2)
		((volatile unsigned char *)dst)[40] ^= 0x80;
	return dst;
}

static void *wrong_return(void *dst, const void *src, size_t n)
{
	return (unsigned char *)right_memcpy(dst, src, n) + n;
}

static void *writes_to_source(void *dst, const void *src, size_t n)
{
	right_memcpy(dst, src, n);
	if (n == 33)
		((volatile unsigned char *)(uintptr_t)src)[32] ^= 1;
	return dst;
}

static void *endless(void *dst, const void *src, size_t n)
{
	volatile bool forever = n == 50;

	while (forever)
		;
	return right_memcpy(dst, src, n);
}

static void *leaves_the_program(void *dst, const void *src, size_t n)
{
	if (n == 60)
		_exit(3);
	return right_memcpy(dst, src, n);
}

static volatile uintptr_t nowhere = 8;

static void *wild_pointer(void *dst, const void *src, size_t n)
{
	if (n == 61)
		*(volatile int *)nowhere = 0;
	return right_memcpy(dst, src, n);
}

#if defined(__x86_64__)
void *clobbers_rbx(void *dst, const void *src, size_t n);
void *leaves_direction(void *dst, const void *src, size_t n);
__asm__("clobbers_rbx:\n"
	"	mov	%rdi, %rax\n"
	"	mov	%rdx, %rcx\n"
	"	rep movsb\n"
	"	xor	%ebx, %ebx\n"
	"	ret\n"
	"leaves_direction:\n"
	"	mov	%rdi, %rax\n"
	"	mov	%rdx, %rcx\n"
	"	rep movsb\n"
	"	std\n"
	"	ret\n");

static void *misaligned(void *dst, const void *src, size_t n)
{
	if (n == 40) {
		uint64_t first;

		__asm__ volatile("movq (%1), %0" : "=r"(first) : "r"(src) : "memory");
		__asm__ volatile("movq %0, (%1)" : : "r"(first), "r"(dst) : "memory");
	}
	return right_memcpy(dst, src, n);
}
#elif defined(__riscv)
void *clobbers_s3(void *dst, const void *src, size_t n);
__asm__("clobbers_s3:\n"
	"	mv	t0, a0\n"
	"1:	beqz	a2, 2f\n"
	"	lb	t1, 0(a1)\n"
	"	sb	t1, 0(t0)\n"
	"	addi	a1, a1, 1\n"
	"	addi	t0, t0, 1\n"
	"	addi	a2, a2, -1\n"
	"	j	1b\n"
	"2:	li	s3, 0\n"
	"	ret\n");
#endif

/* -- the others ---------------------------------------------------------------------------- */

static void *forward_only(void *dst, const void *src, size_t n)
{
	return right_memcpy(dst, src, n);
}

static void *one_distance(void *dst, const void *src, size_t n)
{
	if ((uintptr_t)dst - (uintptr_t)src == 13)
		return right_memcpy(dst, src, n);
	return right_memmove(dst, src, n);
}

static void *unmasked_byte(void *dst, int value, size_t n)
{
	right_memset(dst, value, n);
	if (n >= 16 && (value & ~0xff))
		((volatile unsigned char *)dst)[1] |= (unsigned char)(value >> 8);
	return dst;
}

static size_t (*a_usercopy)(void *dst, const void *src, size_t n);

static size_t residue_too_small(void *dst, const void *src, size_t n)
{
	size_t residue = a_usercopy(dst, src, n);

	return residue ? residue - 1 : 0;
}

static size_t residue_too_large(void *dst, const void *src, size_t n)
{
	size_t residue = a_usercopy(dst, src, n);

	return n == 70 ? 1 : residue;
}

static size_t stores_beyond(void *dst, const void *src, size_t n)
{
	size_t residue = a_usercopy(dst, src, n);

	return residue && residue < n ? residue + 1 : residue;
}

/* -- trials -------------------------------------------------------------------------------- */

/* What gives a mistake away. */
enum sign {
	NONE,
	WRONG,
	MISALIGNED,
	BEYOND,
};

struct mutant {
	const char *name;
	enum sign sign;
	const char *problem; /* a part of what is said of it */
	struct copy_variant variant;
};

#define MEMCPY(function, sign_, problem_)                                           \
	{                                                                           \
		.name = #function, .sign = sign_, .problem = problem_, .variant = { \
			.memcpy = function                                          \
		}                                                                   \
	}
#define MEMMOVE(function, sign_, problem_)                                          \
	{                                                                           \
		.name = #function, .sign = sign_, .problem = problem_, .variant = { \
			.memmove = function                                         \
		}                                                                   \
	}
#define MEMSET(function, sign_, problem_)                                           \
	{                                                                           \
		.name = #function, .sign = sign_, .problem = problem_, .variant = { \
			.memset = function                                          \
		}                                                                   \
	}
#define USERCOPY(function, sign_, problem_)                                         \
	{                                                                           \
		.name = #function, .sign = sign_, .problem = problem_, .variant = { \
			.usercopy = function                                        \
		}                                                                   \
	}

static const struct mutant mutants[] = {
	MEMCPY(right_memcpy, NONE, ""),
	MEMMOVE(right_memmove, NONE, ""),
	MEMSET(right_memset, NONE, ""),
	MEMCPY(dropped_tail, WRONG, "byte 8 of 10 is"),
	MEMCPY(byte_past_end, WRONG, "destination +"),
	MEMCPY(byte_before_start, WRONG, "destination -1"),
	MEMCPY(writes_and_restores, WRONG, "crashed: Segmentation fault at destination +0, of 0"),
	MEMCPY(reads_word_past_end, WRONG, "crashed: Segmentation fault at source +7"),
	MEMCPY(reads_before_start, WRONG, "crashed: Segmentation fault at source -8"),
	MEMCPY(size_of_16_bits, WRONG, "of 65536 is"),
	MEMCPY(size_of_32_bits, WRONG, "returned, though memory ends"),
	MEMCPY(one_case, WRONG, "byte 40 of 77"),
	MEMCPY(wrong_return, WRONG, "returned destination +1"),
	MEMCPY(writes_to_source, WRONG, "wrote to the source"),
	MEMCPY(endless, WRONG, "did not end within 5 s"),
	MEMCPY(leaves_the_program, WRONG, "ended the program, with exit status 3"),
	MEMCPY(wild_pointer, WRONG, "crashed: Segmentation fault at address 0x8"),
#if defined(__x86_64__)
	MEMCPY(clobbers_rbx, WRONG, "did not restore every register"),
	MEMCPY(leaves_direction, WRONG, "did not restore every register"),
	MEMCPY(misaligned, MISALIGNED, ""),
#elif defined(__riscv)
	MEMCPY(clobbers_s3, WRONG, "did not restore every register"),
#endif
	MEMMOVE(forward_only, WRONG, "should be"),
	MEMMOVE(one_distance, WRONG, "should be"),
	MEMSET(unmasked_byte, WRONG, "should be"),
	USERCOPY(residue_too_small, WRONG, "can have been"),
	USERCOPY(residue_too_large, WRONG, "though nothing faulted"),
	USERCOPY(stores_beyond, BEYOND, ""),
};

static enum sign sign_of(const struct trials_result *result)
{
	if (result->wrong)
		return WRONG;
	if (result->misaligned)
		return MISALIGNED;
	return result->beyond_bytes ? BEYOND : NONE;
}

static size_t function_of(const struct copy_variant *variant)
{
	return variant->memcpy ? 0 : variant->memmove ? 1 : variant->memset ? 2 : 3;
}

static bool is_found(const struct mutant *mutant)
{
	struct copy_variant variant = mutant->variant;
	struct trials_result result;

	variant.name = mutant->name;
	variant.architectures = (unsigned int)COPY_PORTABLE;
	native_function(&variant, function_of(&variant), &range, NULL, NULL, &result);
	if (sign_of(&result) == mutant->sign && strstr(result.problem, mutant->problem))
		return true;
	print_error("%s: sign %d, should be %d: %s\n", mutant->name, sign_of(&result), mutant->sign,
		    result.problem);
	return false;
}

static void every_mutant_is_found(void **state)
{
	unsigned int missed = 0;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip(); /* it finds some of them before we do */
#endif
	native_set_limit(5); /* and no right one is starved that long, even where emulated */
	for (size_t i = 0; i < sizeof(mutants) / sizeof(mutants[0]); i++) {
		/* The published ones that keep the contract on any machine that has user copies. */
		if (mutants[i].variant.usercopy && !a_usercopy)
			continue;
		missed += !is_found(&mutants[i]);
	}
	assert_int_equal(missed, 0);
}

/* What failed says how it is repeated, and repeated it fails again. */
static void a_case_can_be_repeated(void **state)
{
	struct copy_variant variant = { .name = "one_case", .memcpy = one_case };
	struct judge_verdict verdict;
	struct trials_result result;

	(void)state;
	native_function(&variant, 0, &range, NULL, NULL, &result);
	native_case(&variant, &result.first_wrong, &verdict);
	assert_false(verdict.right);
	assert_string_equal(verdict.problem, result.problem);
	result.first_wrong.src_align ^= 1;
	native_case(&variant, &result.first_wrong, &verdict);
	assert_true(verdict.right);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_mutant_is_found),
		cmocka_unit_test(a_case_can_be_repeated),
	};
	const struct copy_variant *exact = copy_variant_find("usercopy-bytes");

	a_usercopy = exact && copy_variant_runs_here(exact) ? exact->usercopy : NULL;
	return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}
