/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the client's options mean for a stream's socket. */
#ifndef NETBENCH_IPERF3_STREAM_OPTIONS_H
#define NETBENCH_IPERF3_STREAM_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parameters;

/**
 * Makes fd, an accepted or connected socket, what the parameters ask for. Returns IPERF3_OK; or an
 * error number of iperf3, with errno set to 0 or the cause and *what naming the option.
 */
unsigned int stream_options_set(int fd, const struct parameters *parameters, const char **what);

/** The congestion control of a TCP socket into name[0 .. bytes); "" if it cannot be told. */
void stream_congestion(int fd, char *name, size_t bytes);

/** Segments a TCP socket has sent again so far; false: the kernel does not tell. */
bool stream_retransmits(int fd, uint64_t *segments);

#endif
