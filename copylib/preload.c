/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libcopylib-preload.so: puts a variant's memcpy, memmove and memset in place of the C library's,
 * in any dynamically linked program:
 *
 *   COPYLIB=asm-shift LD_PRELOAD=.../libcopylib-preload.so iperf3 -s
 *
 * Programs copy long before their main(), so each function is a pointer that begins at bytes; the
 * constructor sets it. What a variant does not have stays the C library's. With COPYLIB_STATS=FILE
 * calls are counted by size and alignment, and written there when the process ends.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copylib/copylib.h"
#include "copylib/variant.h"

#define SIZE_CLASSES 33 /* 0; then up to 1, 3, 7, 15 ... bytes; the last one: all above */
#define ALIGNMENTS   8	/* address modulo 8 */

/* The program's own: the symbols of this object would be found by the "libc" variant otherwise. */
static copy_memcpy_fn *next_memcpy = byte_memcpy;
static copy_memmove_fn *next_memmove = byte_memmove;
static copy_memset_fn *next_memset = byte_memset;

void *libc_memcpy(void *dst, const void *src, size_t n)
{
	return next_memcpy(dst, src, n);
}

void *libc_memmove(void *dst, const void *src, size_t n)
{
	return next_memmove(dst, src, n);
}

void *libc_memset(void *dst, int value, size_t n)
{
	return next_memset(dst, value, n);
}

static copy_memcpy_fn *chosen_memcpy = byte_memcpy;
static copy_memmove_fn *chosen_memmove = byte_memmove;
static copy_memset_fn *chosen_memset = byte_memset;

/* -- statistics ---------------------------------------------------------------------------- */

static const char *stats_path;
static FILE *stats_file;    /* NULL: nothing is counted */
static pid_t stats_process; /* whose it is: a child that was forked writes nothing */
static _Atomic uint64_t memcpy_calls[SIZE_CLASSES][ALIGNMENTS][ALIGNMENTS];
static _Atomic uint64_t memmove_calls[SIZE_CLASSES][ALIGNMENTS][ALIGNMENTS];
static _Atomic uint64_t memset_calls[SIZE_CLASSES][ALIGNMENTS][1];

static unsigned int size_class(size_t n)
{
	unsigned int bits = n ? 64 - (unsigned int)__builtin_clzll(n) : 0;

	return bits < SIZE_CLASSES ? bits : SIZE_CLASSES - 1;
}

static void count(_Atomic uint64_t *calls)
{
	atomic_fetch_add_explicit(calls, 1, memory_order_relaxed);
}

static void write_counts(FILE *file, const char *name, const _Atomic uint64_t *calls,
			 unsigned int src_alignments)
{
	for (unsigned int class = 0; class < SIZE_CLASSES; class ++) {
		for (unsigned int pair = 0; pair < ALIGNMENTS * src_alignments; pair++) {
			uint64_t n = calls[class * ALIGNMENTS * src_alignments + pair];
			unsigned long long low = class ? 1ull << (class - 1) : 0;

			if (n)
				fprintf(file, "%s %llu %llu %u %u %llu\n", name, low,
					class ? 2 * low - 1 : 0, pair / src_alignments,
					pair % src_alignments, (unsigned long long)n);
		}
	}
}

static void complain(void)
{
	fprintf(stderr, "libcopylib-preload: COPYLIB_STATS=%s: %s\n", stats_path, strerror(errno));
}

static __attribute__((destructor)) void write_stats(void)
{
	FILE *file = stats_file;

	if (!file || getpid() != stats_process)
		return;
	stats_file = NULL; /* what is counted from here on is our own */
	fputs("# function, bytes from, bytes to, destination and source modulo 8, calls\n", file);
	write_counts(file, "memcpy", &memcpy_calls[0][0][0], ALIGNMENTS);
	write_counts(file, "memmove", &memmove_calls[0][0][0], ALIGNMENTS);
	write_counts(file, "memset", &memset_calls[0][0][0], 1);
	if (fclose(file))
		complain();
}

/* At the beginning, since many programs close their standard error before they end. */
static void open_stats(void)
{
	stats_path = getenv("COPYLIB_STATS");
	if (!stats_path)
		return;
	stats_process = getpid();
	stats_file = fopen(stats_path, "we");
	if (!stats_file)
		complain();
}

/* -- the choice ---------------------------------------------------------------------------- */

static void refuse(const char *name, const char *why)
{
	fprintf(stderr, "libcopylib-preload: COPYLIB=%s: %s; there are:", name, why);
	for (size_t i = 0; i < copy_variant_count(); i++)
		if (copy_variant_runs_here(copy_variant_at(i)) &&
		    copy_variant_at(i)->functions & ~(unsigned int)COPY_USERCOPY)
			fprintf(stderr, " %s", copy_variant_at(i)->name);
	fputc('\n', stderr);
	_exit(2);
}

static const struct copy_variant *choose(const char *name)
{
	const struct copy_variant *variant = copy_variant_find(name);
	char why[128];

	if (!variant)
		refuse(name, "no such variant");
	if (!(variant->functions & ~(unsigned int)COPY_USERCOPY))
		refuse(name, "it has only a user copy");
	if (!copy_variant_runs_here(variant)) {
		snprintf(why, sizeof(why), "it needs %s", copy_variant_missing(variant));
		refuse(name, why);
	}
	return variant;
}

/* dlsym() gives an object pointer, which ISO C does not turn into one to a function. */
static void find_next(void *function, const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (found)
		memcpy(function, &found, sizeof(found));
}

static __attribute__((constructor)) void begin(void)
{
	const char *name = getenv("COPYLIB");
	const struct copy_variant *variant;

	find_next(&next_memcpy, "memcpy");
	find_next(&next_memmove, "memmove");
	find_next(&next_memset, "memset");
	variant = choose(name ? name : "libc");
	chosen_memcpy = variant->memcpy ? variant->memcpy : next_memcpy;
	chosen_memmove = variant->memmove ? variant->memmove : next_memmove;
	chosen_memset = variant->memset ? variant->memset : next_memset;
	open_stats();
}

/* -- what is replaced ---------------------------------------------------------------------- */

void *memcpy(void *dst, const void *src, size_t n)
{
	if (stats_file)
		count(&memcpy_calls[size_class(n)][(uintptr_t)dst % 8][(uintptr_t)src % 8]);
	return chosen_memcpy(dst, src, n);
}

void *memmove(void *dst, const void *src, size_t n)
{
	if (stats_file)
		count(&memmove_calls[size_class(n)][(uintptr_t)dst % 8][(uintptr_t)src % 8]);
	return chosen_memmove(dst, src, n);
}

void *memset(void *dst, int value, size_t n)
{
	if (stats_file)
		count(&memset_calls[size_class(n)][(uintptr_t)dst % 8][0]);
	return chosen_memset(dst, value, n);
}
