/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How UDP streams are opened: a client sends a hello to the port, and from then on talks to a
 * socket of its own, connected to it.
 *
 * One unconnected socket listens on the port all the time. For each hello a second one is bound to
 * the address the hello was sent to, and connected; the kernel prefers it for that peer. In the
 * instant between bind and connect, hellos of others may land in it: these come back as strays.
 */
#ifndef NETBENCH_IPERF3_HELLO_H
#define NETBENCH_IPERF3_HELLO_H

#include <stddef.h>

#include "netbench/iperf3/address.h"

struct hello {
	union address peer;  /* who sent it, normalized */
	union address local; /* where to, normalized, with the port */
};

/**
 * Opens the listening socket. A port in use is found, by any other socket: it can only be shared
 * once it is ours. Returns a descriptor or -errno.
 */
int hello_listen(const union address *address);

/** Takes one hello from the listening socket, skipping some of anything else. False: none found. */
bool hello_receive(int listener, struct hello *hello);

/**
 * Opens the stream's socket; nothing is in it, and the peer has had no answer yet. Hellos of other
 * peers that came to it are put in strays[0 .. *stray_count), at most room of them; more are
 * dropped, as by a full queue. Returns a descriptor or -errno.
 */
int hello_accept(const struct hello *hello, struct hello *strays, size_t room, size_t *stray_count);

/** Tells the peer that its stream is open. Once a stream: a second answer is taken as data. */
int hello_answer(int fd);

/** The same from the listening socket, for a stream that has none of its own. */
void hello_answer_from(int listener, const struct hello *hello);

#endif
