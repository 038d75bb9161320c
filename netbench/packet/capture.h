/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Capture: a pcap file in memory, mapped if it is a file and read if it is not. Packets lie where
 * they lie in it, at any address. Format: draft-ietf-opsawg-pcap.
 */
#ifndef NETBENCH_PACKET_CAPTURE_H
#define NETBENCH_PACKET_CAPTURE_H

#include "netbench/packet/packet.h"

#define CAPTURE_PACKET_BYTES_MAX (256u << 10)
#define CAPTURE_WHY_BYTES	 256

/** Oddities that do not keep it from being read: how often, and at which packet first, from 1. */
struct capture_oddity {
	uint64_t count, first_packet;
};

struct capture {
	const uint8_t *data;
	size_t bytes;
	bool is_mapped;
	bool is_swapped;	/* written by a machine of the other byte order */
	unsigned int link_type; /* LINKTYPE_ */
	uint32_t snaplen;
	uint64_t ticks_per_s; /* of time stamps */

	size_t at;	  /* of the next packet */
	uint64_t packets; /* read so far */
	uint64_t last_ticks;
	struct capture_oddity empty, backwards, more_than_wire;
	char why[CAPTURE_WHY_BYTES]; /* it ends before its time: the reason and the position */
};

/** Opens a file, or for "-" standard input. 0, or -1 with the reason in capture->why; then there is
 *  nothing to be closed. */
int capture_open(struct capture *capture, const char *path);
void capture_close(struct capture *capture);

/** Begins again at the first packet. */
void capture_rewind(struct capture *capture);

/**
 * The next packets, at most so many; ticks, unless it is NULL, gets their times since 1970. Returns
 * how many; 0 at the end, and if capture->why is not empty then, there should be more.
 */
size_t capture_next(struct capture *capture, struct packet_input *inputs, uint64_t *ticks,
		    size_t count);

#endif
