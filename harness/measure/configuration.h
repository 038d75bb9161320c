/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Configuration: what a run is to do, from an INI file (configs/local.ini tells the keys) and from
 * options that replace its values. Every value is checked where it is read.
 */
#ifndef HARNESS_MEASURE_CONFIGURATION_H
#define HARNESS_MEASURE_CONFIGURATION_H

#include <stddef.h>
#include <stdint.h>

#include "harness/measure/column.h"
#include "harness/measure/reason.h"

#define CONFIGURATION_COLUMNS_MAX 64
#define CONFIGURATION_RUNS_MAX	  1000

/** What a virtual board is, [board] host = qemu. */
struct machine_configuration {
	char folder[256]; /* that harness board build made */
	char kernel[64];  /* of those in it */
	char cpu[32];	  /* as QEMU names it */
	char nic[16];	  /* between board and peer */
	unsigned int cores;
	unsigned int memory_mib;
};

struct host_configuration {
	char host[128];			      /* "local" */
	char interface[16];		      /* empty: the host's choice */
	char address[46];		      /* of the interface; empty: the host's choice */
	unsigned int cpu;		      /* that its program is pinned to */
	struct machine_configuration machine; /* the board's, if it is virtual */
};

struct test_configuration {
	unsigned int mtu_board, mtu_peer; /* bytes */
	unsigned int length;		  /* bytes a write or datagram; 0, TCP only: iperf3's own */
	uint64_t rate_bits_per_s;	  /* 0: no limit */
};

struct configuration {
	char name[64];
	char congestion[16]; /* TCP congestion control of both ends */
	struct column columns[CONFIGURATION_COLUMNS_MAX];
	size_t column_count;
	int tests[TEST_KINDS]; /* indices of test_kinds, in the order of the table */
	size_t test_count;
	unsigned int runs;
	unsigned int seconds; /* measured, in each cell */
	unsigned int omit;    /* seconds before these, that are not counted */
	uint64_t seed;	      /* of the order; 0: take one from the time */
	struct host_configuration board, peer;
	struct test_configuration test[TEST_KINDS]; /* by index of test_kinds */
};

/** The values that hold where neither file nor option says otherwise. */
void configuration_default(struct configuration *configuration);

/** Is what was set for several keys good together? Returns 0, or -1 with the reason. */
int configuration_check(const struct configuration *configuration, struct reason *reason);

/**
 * Reads a file over the values that are there. The run's name becomes the file's unless it gives
 * one. Returns 0, or -1 with file, line and what is allowed in the reason.
 */
int configuration_read(struct configuration *configuration, const char *path,
		       struct reason *reason);

/**
 * Sets one value by the name of its section and key, as a line of a file would; for options.
 * Returns 0, or -1 with what is allowed in the reason.
 */
int configuration_set(struct configuration *configuration, const char *section, const char *key,
		      const char *value, struct reason *reason);

#endif
