/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Interface: what the local kernel is asked about network interfaces and ports, in the network
 * namespace of the caller.
 */
#ifndef HARNESS_HOST_INTERFACE_H
#define HARNESS_HOST_INTERFACE_H

#include <stdbool.h>

/** Both return 0 or an errno. The MTU is in bytes. */
int interface_mtu(const char *name, unsigned int *mtu_bytes);
int interface_set_mtu(const char *name, unsigned int mtu_bytes);

/** Can a TCP and a UDP socket be bound to this IPv4 address and port? */
bool interface_port_is_free(const char *address, unsigned int port);

#endif
