/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Cell: one test under one column, once: a server of its own on the board, a client on the peer.
 */
#ifndef HARNESS_MEASURE_CELL_H
#define HARNESS_MEASURE_CELL_H

#include "harness/host/host.h"
#include "harness/measure/configuration.h"
#include "harness/measure/programs.h"

/** Seconds that a client may take beyond its test, before it is killed. */
#define BENCH_CLIENT_EXTRA_S 10

struct bench {
	const struct configuration *configuration;
	unsigned int client_extra_s; /* BENCH_CLIENT_EXTRA_S, but for tests */
	const struct programs *board_programs, *peer_programs;
	struct host_pair hosts;
};

struct cell_figures {
	double mbit_per_s; /* payload, by the receiver's count and clock */
	/* Of a board that counts, else -1: see enum result_series. */
	double instructions_per_byte, kernel_per_byte, misaligned_per_kb, memcpy_percent,
		usercopy_percent;
	char symbols[512];   /* where the most were, in words; empty: not told */
	double loss_percent; /* UDP; -1: not told */
	double cpu_s_per_gb; /* board's server, per 10^9 bytes of payload that arrived; -1: unknown
			      */
	double copy_ns_per_byte; /* in the copy routine, as netbench tells it; -1: not told */
	char congestion[16];	 /* TCP: what the sender used; empty: not told */
	char server[256];	 /* what the server said when it was ready */
};

enum cell_status { CELL_GOOD, CELL_FAILED, CELL_INTERRUPTED };

/** Can the client tell the loss of this UDP test? */
bool cell_loss_is_told(const struct bench *bench, int test);

/** Measures a cell. CELL_FAILED: the reason is set. Neither server nor client is left running. */
enum cell_status cell_measure(struct bench *bench, const struct column *column, int test,
			      struct cell_figures *figures, struct reason *reason);

#endif
