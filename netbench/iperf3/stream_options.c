/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the client's options mean for a stream's socket. -w and -M are set on the listener already,
 * before the handshake (listener.h); here the window is set for UDP, and for TCP where the listener
 * could not be used.
 */
#include "netbench/iperf3/stream_options.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "netbench/flow.h"
#include "netbench/iperf3/address.h"
#include "netbench/iperf3/error.h"
#include "netbench/iperf3/parameters.h"

static int set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value));
}

static int get_int(int fd, int level, int option)
{
	int value = 0;
	socklen_t bytes = sizeof(value);

	if (getsockopt(fd, level, option, &value, &bytes) < 0)
		return -1;
	return value;
}

static unsigned int set_window(int fd, const struct parameters *parameters)
{
	int window = (int)parameters->window_bytes;
	int before = get_int(fd, SOL_SOCKET, SO_RCVBUF);
	int after;

	if (set_int(fd, SOL_SOCKET, SO_RCVBUF, window) < 0 ||
	    set_int(fd, SOL_SOCKET, SO_SNDBUF, window) < 0)
		return IPERF3_SET_BUFFER;
	after = get_int(fd, SOL_SOCKET, SO_RCVBUF);
	if (after < window || get_int(fd, SOL_SOCKET, SO_SNDBUF) < window) {
		errno = 0;
		return IPERF3_BUFFER_NOT_GRANTED;
	}
	/*
	 * After the handshake a larger buffer does not by itself allow a larger window: the limit
	 * still is that of the old buffer. The kernel offers half of the buffer.
	 */
	if (!parameters->udp && after != before)
		set_int(fd, IPPROTO_TCP, TCP_WINDOW_CLAMP, after / 2);
	return IPERF3_OK;
}

static unsigned int set_type_of_service(int fd, const struct parameters *parameters, bool v4)
{
	int value = (int)parameters->type_of_service;

	if (v4 ? set_int(fd, IPPROTO_IP, IP_TOS, value) < 0
	       : set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, value) < 0)
		return IPERF3_SET_TOS;
	return IPERF3_OK;
}

static unsigned int set_congestion(int fd, const struct parameters *parameters)
{
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, parameters->congestion,
		       (socklen_t)strlen(parameters->congestion)) < 0)
		return IPERF3_SET_CONGESTION;
	return IPERF3_OK;
}

/*
 * Lets bytes gather in the socket until there is a large block of them, for clients that send such
 * blocks as fast as they can: where both ends are on one machine, being woken for less costs the
 * sender a tenth of its rate. What cannot be set does not matter, and the kernel does not wait for
 * more than there is room for.
 */
static void receive_in_bulk(int fd, const struct parameters *parameters)
{
	if (!parameters->rate_bits_per_s && parameters->block_bytes >= FLOW_LARGE_BLOCK_BYTES)
		set_int(fd, SOL_SOCKET, SO_RCVLOWAT, (int)FLOW_LARGE_BLOCK_BYTES);
}

static unsigned int set_pacing(int fd, const struct parameters *parameters)
{
	uint64_t bytes_per_s = parameters->pacing_bits_per_s / 8;

	if (setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_s, sizeof(bytes_per_s)) < 0)
		return IPERF3_SET_PACING;
	return IPERF3_OK;
}

unsigned int stream_options_set(int fd, const struct parameters *parameters, const char **what)
{
	union address peer = { 0 };
	socklen_t bytes = sizeof(peer);
	unsigned int error = IPERF3_OK;
	bool v4;

	*what = "the peer's address";
	if (getpeername(fd, &peer.any, &bytes) < 0)
		return IPERF3_INIT_STREAM;
	address_normalize(&peer);
	v4 = peer.any.sa_family == AF_INET;

	if (parameters->window_bytes) {
		*what = "window (-w)";
		error = set_window(fd, parameters);
	}
	if (!error && parameters->type_of_service) {
		*what = "type of service (-S)";
		error = set_type_of_service(fd, parameters, v4);
	}
	if (!error && parameters->pacing_bits_per_s) {
		*what = "pacing rate (--fq-rate)";
		error = set_pacing(fd, parameters);
	}
	if (!error && !parameters->udp && parameters->congestion[0]) {
		*what = "congestion control (-C)";
		error = set_congestion(fd, parameters);
	}
	if (!error && !parameters->udp && parameters->nodelay) {
		*what = "no delay (-N)";
		if (set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1) < 0)
			error = IPERF3_SET_NODELAY;
	}
	if (!error && parameters->udp && parameters->dont_fragment && v4) {
		*what = "don't fragment (--dont-fragment)";
		if (set_int(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO) < 0)
			error = IPERF3_SET_DONT_FRAGMENT;
	}
	if (!error && !parameters->udp)
		receive_in_bulk(fd, parameters);
	return error;
}

void stream_congestion(int fd, char *name, size_t bytes)
{
	char known[64] = "";
	socklen_t length = sizeof(known) - 1;

	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, known, &length) < 0)
		known[0] = '\0';
	snprintf(name, bytes, "%s", known);
}

bool stream_retransmits(int fd, uint64_t *segments)
{
	struct tcp_info info;
	socklen_t bytes = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) < 0)
		return false;
	*segments = info.tcpi_total_retrans;
	return true;
}
