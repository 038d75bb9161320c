/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Addresses of peers. A dual-stack socket shows an IPv4 peer as ::ffff:a.b.c.d; everything here
 * works on plain addresses, so address_normalize() is applied where an address comes in.
 */
#ifndef NETBENCH_IPERF3_ADDRESS_H
#define NETBENCH_IPERF3_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage storage;
};

#define ADDRESS_TEXT_BYTES 80 /* "[fe80::1%interface]:65535" and a NUL */

/** Turns an IPv4 address in IPv6 clothes into a plain one. */
void address_normalize(union address *address);

socklen_t address_bytes(const union address *address);
uint16_t address_port(const union address *address);
void address_set_port(union address *address, uint16_t port);

/** Is it the same host, whatever the ports? */
bool address_same_host(const union address *a, const union address *b);

/** "192.0.2.1:5201" or "[2001:db8::1]:5201" into text[0 .. ADDRESS_TEXT_BYTES). Returns text. */
const char *address_format(const union address *address, char *text);

/**
 * What to bind a server to: a name or address, NULL for all of this host. Without IPv6 "all" is all
 * of IPv4. Returns 0, or an error for gai_strerror().
 */
int address_to_bind(const char *name, uint16_t port, union address *address);

#endif
