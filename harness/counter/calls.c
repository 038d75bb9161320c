/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * netbench-calls: calls routines between marks of the counter, in a virtual board. Each line of
 * standard input is one call:
 *
 *   VARIANT FUNCTION BYTES DESTINATION SOURCE	alignments: bytes past a word
 *   - - 0 0 0					a routine that is nothing but its return
 *
 * Between the marks is the call and nothing else, so the process has executed two instructions more
 * than the routine: the mark that begins, and the jump into the routine. Everything that a call
 * touches has been touched before by one of the same that is not counted, so that no fault repeats
 * an instruction. Prints a line for each call, "done" or "none": there is no such routine here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copylib/copylib.h"
#include "harness/counter/mark.h"

#define BYTES_MAX  COUNTER_CALL_BYTES_MAX
#define PAGE_BYTES 4096

static void nothing(void)
{
}

/* A function and its three arguments, as the calling convention has them. */
struct call {
	void (*function)(void);
	unsigned long argument[3];
};

static void run_between_marks(const struct call *call)
{
#if defined(__riscv)
	register unsigned long a0 __asm__("a0") = call->argument[0];
	register unsigned long a1 __asm__("a1") = call->argument[1];
	register unsigned long a2 __asm__("a2") = call->argument[2];
	register void (*to)(void) __asm__("t0") = call->function;

	__asm__ volatile("slti x0, x0, %[begin]\n"
			 "	jalr	ra, t0\n"
			 "	slti	x0, x0, %[end]"
			 : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(to)
			 : [begin] "i"(COUNTER_MARK_BEGIN), [end] "i"(COUNTER_MARK_TOTALS)
			 : "ra", "a3", "a4", "a5", "a6", "a7", "t1", "t2", "t3", "t4", "t5", "t6",
			   "memory");
#else
	call->function();
#endif
}

/* False: the variant has no such function, or cannot run here. */
static bool fill(struct call *call, const char *name, const char *function, size_t bytes,
		 unsigned char *dst, const unsigned char *src)
{
	const struct copy_variant *variant = copy_variant_find(name);

	*call = (struct call){ nothing, { (unsigned long)dst, (unsigned long)src, bytes } };
	if (!strcmp(name, "-"))
		return true;
	if (!variant || !copy_variant_runs_here(variant))
		return false;
	call->function = NULL;
	if (!strcmp(function, "memcpy"))
		call->function = (void (*)(void))variant->memcpy;
	else if (!strcmp(function, "memmove"))
		call->function = (void (*)(void))variant->memmove;
	else if (!strcmp(function, "memset"))
		call->function = (void (*)(void))variant->memset;
	else if (!strcmp(function, "usercopy"))
		call->function = (void (*)(void))variant->usercopy;
	if (!strcmp(function, "memset"))
		call->argument[1] = 0xa5;
	return call->function;
}

int main(void)
{
	unsigned char *dst = aligned_alloc(PAGE_BYTES, BYTES_MAX + PAGE_BYTES);
	unsigned char *src = aligned_alloc(PAGE_BYTES, BYTES_MAX + PAGE_BYTES);
	char variant[64], function[32];
	size_t bytes;
	unsigned int dst_align, src_align;

	if (!dst || !src) {
		fputs("netbench-calls: no memory\n", stderr);
		return 2;
	}
	memset(dst, 1, BYTES_MAX + PAGE_BYTES);
	memset(src, 2, BYTES_MAX + PAGE_BYTES);
#if defined(__riscv)
	counter_mark(COUNTER_MARK_PROCESS + COUNTER_PROCESS_SERVER);
#endif
	while (scanf("%63s %31s %zu %u %u", variant, function, &bytes, &dst_align, &src_align) ==
	       5) {
		struct call call;

		if (bytes > BYTES_MAX || dst_align > 7 || src_align > 7) {
			fputs("netbench-calls: a size or an alignment is out of range\n", stderr);
			return 2;
		}
		if (!fill(&call, variant, function, bytes, dst + 64 + dst_align,
			  src + 64 + src_align)) {
			puts("none");
			continue;
		}
		run_between_marks(&call);
		run_between_marks(&call); /* the one that holds */
		puts("done");
	}
	fflush(stdout);
	free(dst);
	free(src);
	return 0;
}
