/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Addresses of peers. See address.h. */
#include "netbench/iperf3/address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void address_normalize(union address *address)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };

	if (address->any.sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr))
		return;
	v4.sin_port = address->v6.sin6_port;
	memcpy(&v4.sin_addr, &address->v6.sin6_addr.s6_addr[12], sizeof(v4.sin_addr));
	memset(address, 0, sizeof(*address));
	address->v4 = v4;
}

socklen_t address_bytes(const union address *address)
{
	return address->any.sa_family == AF_INET6 ? sizeof(address->v6) : sizeof(address->v4);
}

uint16_t address_port(const union address *address)
{
	return ntohs(address->any.sa_family == AF_INET6 ? address->v6.sin6_port
							: address->v4.sin_port);
}

void address_set_port(union address *address, uint16_t port)
{
	if (address->any.sa_family == AF_INET6)
		address->v6.sin6_port = htons(port);
	else
		address->v4.sin_port = htons(port);
}

bool address_same_host(const union address *a, const union address *b)
{
	if (a->any.sa_family != b->any.sa_family)
		return false;
	if (a->any.sa_family == AF_INET6)
		return IN6_ARE_ADDR_EQUAL(&a->v6.sin6_addr, &b->v6.sin6_addr) &&
		       a->v6.sin6_scope_id == b->v6.sin6_scope_id;
	return a->v4.sin_addr.s_addr == b->v4.sin_addr.s_addr;
}

const char *address_format(const union address *address, char *text)
{
	char host[INET6_ADDRSTRLEN] = "?";
	char interface[IF_NAMESIZE] = "";
	unsigned int scope;

	if (address->any.sa_family != AF_INET6) {
		inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof(host));
		snprintf(text, ADDRESS_TEXT_BYTES, "%s:%u", host, address_port(address));
		return text;
	}
	inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof(host));
	scope = address->v6.sin6_scope_id;
	if (scope && if_indextoname(scope, interface))
		snprintf(text, ADDRESS_TEXT_BYTES, "[%s%%%s]:%u", host, interface,
			 address_port(address));
	else
		snprintf(text, ADDRESS_TEXT_BYTES, "[%s]:%u", host, address_port(address));
	return text;
}

int address_to_bind(const char *name, uint16_t port, union address *address)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC,
				  .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE };
	struct addrinfo *found = NULL;
	int error;

	memset(address, 0, sizeof(*address));
	if (name) {
		error = getaddrinfo(name, NULL, &hints, &found);
		if (error)
			return error;
		memcpy(address, found->ai_addr, found->ai_addrlen);
		freeaddrinfo(found);
	} else {
		int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

		address->any.sa_family = probe >= 0 ? AF_INET6 : AF_INET; /* zeros: any address */
		if (probe >= 0)
			close(probe);
	}
	address_set_port(address, port);
	return 0;
}
