/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Tests and columns: the rows and the columns of the table, by the names that a user types.
 */
#ifndef HARNESS_MEASURE_COLUMN_H
#define HARNESS_MEASURE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "harness/measure/reason.h"

/** A test, named from the board. */
struct test_kind {
	const char *name;
	bool udp;
	bool reverse; /* the board sends: the client's -R */
};

#define TEST_KINDS 4
extern const struct test_kind test_kinds[TEST_KINDS];

/** The index in test_kinds of a name, or -1 with the valid names in the reason. */
int test_kind_find(const char *name, struct reason *reason);

enum column_program {
	COLUMN_IPERF3,	 /* stock iperf3 -s on the board */
	COLUMN_NETBENCH, /* netbench serve on the board */
};

#define COLUMN_ID_MAX 64

struct column {
	char id[COLUMN_ID_MAX]; /* as typed, blanks made single */
	enum column_program program;
	char engine[16];	  /* netbench: the engine asked for; empty: netbench's own choice */
	char copy[COLUMN_ID_MAX]; /* netbench: a variant of copylib, or "none" */
	char kernel[COLUMN_ID_MAX]; /* iperf3: that the board is to run; empty: what it runs */
};

/** Of "NAME again": the length of NAME; 0: the column is no repetition. */
size_t column_again_length(const char *id);

/**
 * Reads one column: iperf3, a variant, none, ENGINE:VARIANT, kernel:NAME (stock iperf3 on that
 * kernel), and any of these with " again", which is a second column of the same, for the noise floor.
 * Returns 0, or -1 with the valid ones in the reason.
 */
int column_parse(const char *text, struct column *column, struct reason *reason);

/** The engines a column may name, in order; NULL beyond the last. */
const char *column_engine(size_t index);

#endif
