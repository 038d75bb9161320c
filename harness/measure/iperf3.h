/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * iperf3: the command line of the stock client for a test, and what its JSON says.
 */
#ifndef HARNESS_MEASURE_IPERF3_H
#define HARNESS_MEASURE_IPERF3_H

#include "harness/measure/column.h"
#include "harness/measure/configuration.h"
#include "harness/measure/reason.h"

#define IPERF3_ARGUMENTS_MAX 32

struct iperf3_command {
	const char *argv[IPERF3_ARGUMENTS_MAX]; /* NULL-terminated, into text and literals */
	char text[256];				/* of the arguments that are numbers */
};

/** What a client found. */
struct iperf3_figures {
	double received_bytes; /* payload that the receiver counted */
	double received_s;     /* in this time, by the receiver's clock */
	double loss_percent;   /* UDP: of the datagrams sent; TCP: 0; -1: not told */
	char congestion[16];   /* TCP: what the sender used; empty: not told */
};

/** Fills in the client's command line for one cell; program: its path, which must stay. */
void iperf3_client_command(struct iperf3_command *command, const char *program,
			   const struct configuration *configuration, int test, const char *address,
			   unsigned int port);

/**
 * Reads a client's JSON (iperf3 3.10 to 3.22). Returns 0, or -1 with the reason: what the client
 * itself gives as its error, or what is wrong with the JSON.
 */
int iperf3_read_client(const char *json, bool udp, struct iperf3_figures *figures,
		       struct reason *reason);

/** Can a client of this version tell the loss of a UDP test that it sends, if seconds are omitted?
 */
bool iperf3_tells_loss_after_omit(const char *version);

/** "3.18" out of what `iperf3 --version` prints; empty: not found. */
void iperf3_read_version(const char *text, char *version, size_t size);

#endif
