/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a client asks for: the parameters message of iperf3, checked.
 *
 * Keys that only concern the client's own side or that may be ignored (title, zerocopy, gso, ...)
 * are not looked at; unknown ones neither.
 */
#ifndef NETBENCH_IPERF3_PARAMETERS_H
#define NETBENCH_IPERF3_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PARAMETERS_STREAMS_MAX	   128 /* in each direction */
#define PARAMETERS_NAME_BYTES	   32
#define PARAMETERS_TIME_S_MAX	   86400
#define PARAMETERS_OMIT_S_MAX	   600
#define PARAMETERS_TCP_BLOCK_BYTES 131072 /* unless asked otherwise */
#define PARAMETERS_UDP_BLOCK_BYTES 1460

struct parameters {
	bool udp;
	bool reverse;	    /* the server sends */
	bool bidirectional; /* both send */
	bool nodelay;
	bool udp_counters_64bit;
	bool dont_fragment;
	bool get_server_output;
	unsigned int time_s;  /* 0: no limit */
	unsigned int omit_s;  /* left out of all figures, before time_s */
	uint64_t bytes;	      /* after which the client ends the test; 0: no limit */
	uint64_t blocks;      /* likewise */
	unsigned int streams; /* in each direction, 1 .. PARAMETERS_STREAMS_MAX */
	size_t block_bytes;
	unsigned int mss;	    /* 0: the system's */
	unsigned int window_bytes;  /* of the socket buffers; 0: the system's */
	uint64_t rate_bits_per_s;   /* of each stream; 0: no limit */
	uint64_t pacing_bits_per_s; /* likewise, by the kernel */
	unsigned int burst_blocks;
	unsigned int type_of_service;		    /* 0: the system's */
	char congestion[PARAMETERS_NAME_BYTES];	    /* "": the system's */
	char client_version[PARAMETERS_NAME_BYTES]; /* "": not told */
};

/** Does the server send, or receive, in such a test? */
static inline bool parameters_send(const struct parameters *parameters)
{
	return parameters->reverse || parameters->bidirectional;
}

static inline bool parameters_receive(const struct parameters *parameters)
{
	return !parameters->reverse;
}

/** Streams in both directions together. */
static inline unsigned int parameters_streams(const struct parameters *parameters)
{
	return parameters->streams * (parameters->bidirectional ? 2 : 1);
}

/**
 * Reads text[0 .. bytes), which is changed by it. Returns IPERF3_OK, or the error number to send to
 * the client, with the reason for the log in why[0 .. why_bytes).
 */
unsigned int parameters_read(char *text, size_t bytes, struct parameters *parameters, char *why,
			     size_t why_bytes);

#endif
