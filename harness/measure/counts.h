/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Counts: what the counter (harness/counter/plugin.c) counted between a begin and an end, and the
 * symbols of the kernel that it was counted in.
 */
#ifndef HARNESS_MEASURE_COUNTS_H
#define HARNESS_MEASURE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "harness/measure/reason.h"

/** In the order of the counter's file. Sizes: of the access. */
struct count_numbers {
	uint64_t instructions, loads, stores;
	uint64_t misaligned_2, misaligned_4, misaligned_8, misaligned_more;
	uint64_t crossings; /* of pages, by misaligned accesses */
};

struct counted_address {
	uint64_t address;
	struct count_numbers numbers;
};

struct counts {
	struct count_numbers firmware, user, kernel;
	struct count_numbers server_user;   /* of the server's process */
	struct count_numbers server_kernel; /* what the kernel did on its account */
	struct counted_address *addresses;  /* of the kernel's instructions, ascending */
	size_t address_count;
	uint64_t lost_addresses, lost_turns; /* of processes: for which the counter had no room */
};

uint64_t count_misaligned(const struct count_numbers *numbers);

/**
 * Reads the next set of counts of a file. Returns 1, 0 at its end, or -1 with the reason: it is not
 * whole, or not of this version. counts_free() after 1.
 */
int counts_next(FILE *file, struct counts *counts, struct reason *reason);

/**
 * Reads the last whole set of counts of a file. Returns 0, or -1 with the reason: none is whole, or
 * not of this version. counts_free() in either case.
 */
int counts_read(FILE *file, struct counts *counts, struct reason *reason);
void counts_free(struct counts *counts);

/* -- symbols -------------------------------------------------------------------------------- */

struct symbol {
	uint64_t address;
	char *name;
};

struct symbols {
	struct symbol *symbols; /* of code, ascending by address */
	size_t count;
};

/** Reads /proc/kallsyms or a System.map. Returns 0, or -1 with the reason. */
int symbols_read(FILE *file, struct symbols *symbols, struct reason *reason);
void symbols_free(struct symbols *symbols);

/**
 * Adds up what was counted in a function, by any of its names: from its address to that of the next
 * symbol. False: there is no such symbol.
 */
bool counts_of_symbol(const struct counts *counts, const struct symbols *symbols, const char *name,
		      struct count_numbers *numbers);

/**
 * Writes the functions with the most instructions and their share of so many: "memcpy 37.2,
 * csum_partial 9.1", as many as fit and are above a hundredth of them all.
 */
void counts_describe(const struct counts *counts, const struct symbols *symbols,
		     double instructions, char *text, size_t size);

/** What was counted in waiting for a spin lock that another CPU has, and in taking one. */
void counts_of_locks(const struct counts *counts, const struct symbols *symbols,
		     struct count_numbers *numbers);

/** What was counted in the copies of the kernel, all their names together. */
void counts_of_memcpy(const struct counts *counts, const struct symbols *symbols,
		      struct count_numbers *numbers);
void counts_of_usercopy(const struct counts *counts, const struct symbols *symbols,
			struct count_numbers *numbers);

#endif
