/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the tests of the copy routines share: memory between two pages that nobody may touch, a
 * call that comes back even when the routine touches them, reports that show the case and the bytes
 * around the fault, and one cmocka test for each variant and each thing that is tried with it.
 */
#ifndef COPYLIB_TEST_GUARDED_H
#define COPYLIB_TEST_GUARDED_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "copylib/copylib.h"

/* The sizes that are tried one by one, and a selection above. */
#define EVERY_SIZE_BYTES   320
#define LARGEST_SIZE_BYTES (65536 + 8)
/* So much is looked at on either side of a destination, as far as the guard pages allow. */
#define MARGIN_BYTES 136
/* Bytes from start to end can be used; the pages before and after cannot. */
#define AREA_BYTES (LARGEST_SIZE_BYTES + 8192)

static const size_t larger_sizes[] = {
	383,  384,   385,   447,   511,	  512,	 513,	519,   640,   767,
	1023, 1024,  1025,  1031,  1448,  1460,	 2047,	2048,  2049,  2055,
	4095, 4096,  4097,  4103,  4109,  8191,	 8192,	8193,  8199,  8948,
	9000, 16383, 16384, 16385, 32768, 65507, 65535, 65536, 65537, LARGEST_SIZE_BYTES,
};

struct area {
	unsigned char *start;
	unsigned char *end;
};

/* Where a buffer lies in its area: so many bytes from the front guard page, or from the back one.
 */
enum flush {
	FRONT,
	BACK,
};

static const char *const flush_names[] = { "after the front guard page", "before the back one" };

static inline void fail_setup(const char *what)
{
	perror(what);
	exit(2);
}

static inline struct area map_area(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t usable = (AREA_BYTES + page - 1) / page * page;
	unsigned char *whole =
		mmap(NULL, usable + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct area area = { whole + page, whole + page + usable };

	if (whole == MAP_FAILED || mprotect(area.start, usable, PROT_READ | PROT_WRITE))
		fail_setup("guarded memory");
	return area;
}

static inline void unmap_area(const struct area *area)
{
	size_t page = sysconf(_SC_PAGESIZE);

	munmap(area->start - page, area->end - area->start + 2 * page);
}

/* Bytes without a period that a wrong distance could hide behind (an xorshift generator). */
static inline void fill_with_noise(const struct area *area)
{
	uint64_t state = 0x9e3779b97f4a7c15;
	unsigned char *at;

	for (at = area->start; at < area->end; at++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		*at = state >> 32;
	}
}

static inline unsigned char *place(const struct area *area, enum flush flush, size_t offset,
				   size_t size)
{
	return flush == FRONT ? area->start + offset : area->end - offset - size;
}

/* The part of an area that is looked at when `size` bytes from `at` on are written. */
static inline struct area around(const struct area *area, unsigned char *at, size_t size)
{
	size_t before = at - area->start;
	size_t after = area->end - (at + size);
	struct area part = {
		at - (before < MARGIN_BYTES ? before : MARGIN_BYTES),
		at + size + (after < MARGIN_BYTES ? after : MARGIN_BYTES),
	};

	return part;
}

/* -- calls that may crash -------------------------------------------------------------------- */

static sigjmp_buf crash_return;
static volatile sig_atomic_t crash_expected;
static unsigned char *volatile crash_address;

static inline void return_from_crash(int signal_number, siginfo_t *info, void *context)
{
	(void)context;
	if (!crash_expected) {
		signal(signal_number, SIG_DFL); /* and fault again */
		return;
	}
	crash_address = info->si_addr;
	siglongjmp(crash_return, 1);
}

/* At the start of each test, since cmocka puts handlers of its own around it. */
static inline void catch_crashes(void)
{
	struct sigaction action = { .sa_sigaction = return_from_crash,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };

	if (sigaction(SIGSEGV, &action, NULL) || sigaction(SIGBUS, &action, NULL))
		fail_setup("sigaction");
}

/* Calls memcpy or memmove of a variant, which have one shape. False: it crashed. */
static inline bool call_copy(copy_memcpy_fn *copy, void *dst, const void *src, size_t n,
			     void **returned)
{
	if (sigsetjmp(crash_return, 0)) {
		crash_expected = 0;
		return false;
	}
	crash_expected = 1;
	*returned = copy(dst, src, n);
	crash_expected = 0;
	return true;
}

static inline bool call_set(copy_memset_fn *set, void *dst, int value, size_t n, void **returned)
{
	if (sigsetjmp(crash_return, 0)) {
		crash_expected = 0;
		return false;
	}
	crash_expected = 1;
	*returned = set(dst, value, n);
	crash_expected = 0;
	return true;
}

/* -- reports --------------------------------------------------------------------------------- */

/* Where a crash lies, if it lies in this area or its guard pages. */
static inline void report_crash(const char *buffer_name, const struct area *area,
				const unsigned char *buffer, size_t n)
{
	const unsigned char *address = crash_address;
	size_t page = sysconf(_SC_PAGESIZE);
	const char *what = address < buffer	  ? "before its start"
			   : address < buffer + n ? "inside it"
						  : "past its end";

	if (address >= area->start - page && address < area->end + page)
		print_error("    crashed at %s %+td: %s\n", buffer_name, address - buffer, what);
}

/* The bytes of `from` about position `at` of `part`, that one in brackets. */
static inline void report_bytes(const char *label, const struct area *part,
				const unsigned char *from, size_t at)
{
	size_t length = part->end - part->start;
	size_t first = at < 8 ? 0 : at - 8;
	size_t beyond = at + 9 < length ? at + 9 : length;
	char line[128];
	int used = 0;
	size_t i;

	for (i = first; i < beyond; i++)
		used += snprintf(line + used, sizeof(line) - used, i == at ? " [%02x]" : " %02x",
				 from[i]);
	print_error("    %-5s%s\n", label, line);
}

/* The first byte of the part that is not as wanted, if any; `dst` is what was to be written. */
static inline void report_difference(const struct area *part, const unsigned char *wanted,
				     const unsigned char *dst, size_t n)
{
	size_t length = part->end - part->start;
	size_t at = 0;
	ptrdiff_t position;
	const char *where = "";

	while (at < length && part->start[at] == wanted[at])
		at++;
	if (at == length)
		return;
	position = part->start + at - dst;
	if (position < 0)
		where = " (before the destination)";
	else if (position >= (ptrdiff_t)n)
		where = " (past the destination)";
	print_error("    byte %td%s is 0x%02x, should be 0x%02x\n", position, where,
		    part->start[at], wanted[at]);
	report_bytes("is", part, part->start, at);
	report_bytes("want", part, wanted, at);
}

/* What a call that did not crash has done wrong. */
static inline void report_outcome(const void *returned, const struct area *part,
				  const unsigned char *wanted, const unsigned char *dst, size_t n)
{
	if (returned != dst)
		print_error("    returned destination %+td\n",
			    (const unsigned char *)returned - dst);
	report_difference(part, wanted, dst, n);
}

/* -- one test a variant and case ------------------------------------------------------------- */

#define MOST_TESTS 256

static inline void skip_variant(void **state)
{
	(void)state;
	skip();
}

/*
 * Runs each case for each variant that `has` accepts; a case finds its variant in *state. Variants
 * that this CPU cannot run are shown as skipped.
 */
static inline int run_with_each_variant(const char *group, const struct CMUnitTest *cases,
					size_t case_count,
					bool (*has)(const struct copy_variant *variant))
{
	static struct CMUnitTest tests[MOST_TESTS]; /* cmocka passes over the unused ones */
	static char names[MOST_TESTS][80];
	const struct copy_variant *variant;
	size_t used = 0;
	size_t i, j;

	/* What is slow is right all the same; but there is a build in which it ends the test. */
	copy_set_misaligned(getenv("MISALIGNED_IS_SLOW") ? COPY_MISALIGNED_SLOW
							 : COPY_MISALIGNED_FAST);
	for (i = 0; (variant = copy_variant_at(i)); i++) {
		for (j = 0; has(variant) && j < case_count; j++) {
			if (used == MOST_TESTS) {
				fprintf(stderr, "%s: more than %d tests: raise MOST_TESTS\n", group,
					MOST_TESTS);
				return 2;
			}
			snprintf(names[used], sizeof(names[used]), "%s: %s", variant->name,
				 cases[j].name);
			tests[used] = cases[j];
			tests[used].name = names[used];
			tests[used].initial_state = (void *)variant;
			if (!copy_variant_runs_here(variant))
				tests[used].test_func = skip_variant;
			used++;
		}
	}
	return cmocka_run_group_tests_name(group, tests, NULL, NULL);
}

#endif
