/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The TCP socket that control and data connections come in on.
 *
 * A window (-w) and a segment size (-M) take part in the handshake: they must be on the listener
 * before a stream's SYN comes. What was tried with windows set on the accepted socket instead: 4
 * KiB stalls altogether, because the peer already has been offered 64 KiB, of which most is
 * dropped; 16 and 64 KiB retransmit at the start; and the segments are larger than half of the
 * window. So the listener is tuned while one session that needs it opens its streams, alone, and
 * restored afterwards. Restoring takes SO_BUF_LOCK (Linux 5.16), which gives a buffer back to the
 * kernel's own sizing; without it the window is set after the handshake, as well as that goes.
 */
#ifndef NETBENCH_IPERF3_LISTENER_H
#define NETBENCH_IPERF3_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

union address;

struct listener {
	int fd;
	int receive_bytes; /* the buffers a new connection has by default, as getsockopt() tells */
	int send_bytes;
	bool tuned;
};

/** Opens a non-blocking listening socket. 0 or -errno. IPv6 "any address" takes IPv4 as well. */
int listener_open(struct listener *listener, const union address *address);
void listener_close(struct listener *listener);

/**
 * Connections from now on have this window and segment size; 0 leaves one alone. Returns IPERF3_OK
 * or iperf3's error number, with errno set; the listener is then as it was.
 */
unsigned int listener_tune(struct listener *listener, unsigned int window_bytes, unsigned int mss);

/** Connections from now on are as they were before listener_tune(). */
void listener_restore(struct listener *listener);

#endif
