/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Walk, network: IP with its options and extensions, and what it carries. As walk_link.h. */
#ifndef NETBENCH_PACKET_WALK_NETWORK_H
#define NETBENCH_PACKET_WALK_NETWORK_H

#include "netbench/packet/access.h"
#include "netbench/packet/numbers.h"
#include "netbench/packet/walk.h"
#include "netbench/packet/walk_link.h"

/* Options of IPv4 and TCP: 0 ends them, 1 is one byte, all others tell their length. */
static inline bool options_are_good(const uint8_t *options, unsigned int bytes)
{
	unsigned int at = 0;

	while (at < bytes && options[at]) {
		if (options[at] == 1) {
			at++;
			continue;
		}
		if (bytes - at < 2 || options[at + 1] < 2 || options[at + 1] > bytes - at)
			return false;
		at += options[at + 1];
	}
	return true;
}

/* -- transport ------------------------------------------------------------------------------ */

static inline void take_ports(struct walk *walk, enum access access)
{
	struct packet *packet = walk->packet;

	packet->source_port = access_16(walk_at(walk), access);
	packet->destination_port = access_16(walk_at(walk) + 2, access);
	packet->flags |= PACKET_FLAG_PORTS;
	packet->transport_offset = (uint16_t)walk->at;
}

static inline bool tcp(struct walk *walk)
{
	unsigned int bytes;

	if (!walk_need(walk, 20))
		return false;
	bytes = walk_at(walk)[12] >> 4 << 2;
	if (bytes < 20)
		return walk_stop(walk, PACKET_TCP_HEADER_SHORT);
	if (!walk_need(walk, bytes))
		return false;
	if (!options_are_good(walk_at(walk) + 20, bytes - 20))
		return walk_stop(walk, PACKET_TCP_OPTION);
	walk->packet->tcp_flags = walk_at(walk)[13];
	return walk_layer(walk, PACKET_TCP, bytes) && walk_stop(walk, PACKET_COMPLETE);
}

static inline bool udp(struct walk *walk, enum access access)
{
	uint16_t length, port = walk->packet->destination_port;

	if (!walk_need(walk, 8))
		return false;
	length = access_16(walk_at(walk) + 4, access);
	/* 0: of a jumbogram, or not filled in yet. A fragment does not have all of it. */
	if (length && length < 8)
		return walk_stop(walk, PACKET_UDP_LENGTH_SHORT);
	if (length && !walk_cut(walk, length) && !(walk->packet->flags & PACKET_FLAG_FRAGMENT))
		return walk_stop(walk, PACKET_UDP_LENGTH_LONG);
	if (!walk_layer(walk, PACKET_UDP, 8))
		return false;
	if (port == PORT_VXLAN)
		walk->next = NEXT_VXLAN;
	else if (port == PORT_GENEVE)
		walk->next = NEXT_GENEVE;
	else
		return walk_stop(walk, PACKET_COMPLETE);
	return true;
}

/* TCP, UDP and SCTP: the ports first, which may be all that is quoted or captured. */
static inline bool transport(struct walk *walk, enum access access)
{
	if (!walk_need(walk, 4))
		return false;
	take_ports(walk, access);
	switch (walk->packet->protocol) {
	case TCP:
		return tcp(walk);
	case UDP:
		return udp(walk, access);
	default:
		return walk_need(walk, 12) && walk_layer(walk, PACKET_SCTP, 12) &&
		       walk_stop(walk, PACKET_COMPLETE);
	}
}

/* Errors quote the packet that they are about, from its IP header on. */
static inline bool icmp(struct walk *walk, enum packet_layer_kind kind)
{
	bool quotes;
	uint8_t type;

	if (!walk_need(walk, kind == PACKET_ICMP ? 8 : 4))
		return false;
	type = walk_at(walk)[0];
	quotes = kind == PACKET_ICMP
			 ? type == 3 || type == 4 || type == 5 || type == 11 || type == 12
			 : type >= 1 && type <= 4;
	if (quotes && !walk_need(walk, 8))
		return false;
	walk->packet->transport_offset = (uint16_t)walk->at;
	if (!walk_layer(walk, kind, kind == PACKET_ICMP || quotes ? 8 : 4))
		return false;
	/* One that quotes an error breaks the rules; it ends here. */
	if (!quotes || walk->packet->flags & PACKET_FLAG_QUOTED || walk->at == walk->end)
		return walk_stop(walk, PACKET_COMPLETE);
	walk->packet->flags |= PACKET_FLAG_QUOTED;
	walk->packet->flags &= (uint8_t)~(PACKET_FLAG_FRAGMENT | PACKET_FLAG_PORTS);
	walk->next = kind == PACKET_ICMP ? NEXT_IPV4 : NEXT_IPV6;
	return true;
}

/* -- network -------------------------------------------------------------------------------- */

static inline bool raw(struct walk *walk)
{
	if (!walk_need(walk, 1))
		return false;
	walk->next = walk_at(walk)[0] >> 4 == 6 ? NEXT_IPV6 : NEXT_IPV4;
	return true;
}

static inline bool ipv4(struct walk *walk, enum access access)
{
	const uint8_t *at = walk_at(walk);
	struct packet *packet = walk->packet;
	uint16_t total, fragment;
	unsigned int bytes;

	if (!walk_need(walk, 20))
		return false;
	if (at[0] >> 4 != 4)
		return walk_stop(walk, PACKET_IP_VERSION);
	bytes = (at[0] & 15) << 2;
	if (bytes < 20)
		return walk_stop(walk, PACKET_IPV4_HEADER_SHORT);
	total = access_16(at + 2, access);
	/* 0: left to a NIC that cuts segments. */
	if (total && total < bytes)
		return walk_stop(walk, PACKET_IPV4_TOTAL_SHORT);
	if (total && !walk_cut(walk, total))
		return walk_stop(walk, PACKET_IPV4_TOTAL_LONG);
	if (!walk_need(walk, bytes))
		return false;
	if (!options_are_good(at + 20, bytes - 20))
		return walk_stop(walk, PACKET_IPV4_OPTION);
	fragment = access_16(at + 6, access);
	packet->protocol = at[9];
	packet->network_offset = (uint16_t)walk->at;
	if (!walk_layer(walk, PACKET_IPV4, bytes))
		return false;
	if (bytes > 20)
		packet->flags |= PACKET_FLAG_OPTIONS;
	if (fragment & 0x3fff)
		packet->flags |= PACKET_FLAG_FRAGMENT;
	if (fragment & 0x1fff)
		return walk_stop(walk, PACKET_LATER_FRAGMENT);
	walk->next = NEXT_PROTOCOL;
	return true;
}

static inline bool ipv6(struct walk *walk, enum access access)
{
	const uint8_t *at = walk_at(walk);
	struct packet *packet = walk->packet;
	uint16_t length;

	if (!walk_need(walk, 40))
		return false;
	if (at[0] >> 4 != 6)
		return walk_stop(walk, PACKET_IP_VERSION);
	length = access_16(at + 4, access);
	/* 0: a jumbogram, or left to a NIC; but without a next header it is what it says. */
	if ((length || at[6] == NO_NEXT) && !walk_cut(walk, 40u + length))
		return walk_stop(walk, PACKET_IPV6_LENGTH_LONG);
	packet->protocol = at[6];
	packet->network_offset = (uint16_t)walk->at;
	if (!walk_layer(walk, PACKET_IPV6, 40))
		return false;
	walk->next = NEXT_PROTOCOL;
	return true;
}

static inline bool extension(struct walk *walk, enum access access)
{
	const uint8_t *at = walk_at(walk);
	struct packet *packet = walk->packet;
	uint8_t protocol = packet->protocol;
	uint16_t fragment = 0;
	unsigned int bytes;

	if (!walk_need(walk, 8))
		return false;
	if (walk->extensions == PACKET_EXTENSIONS_MAX)
		return walk_stop(walk, PACKET_TOO_DEEP);
	if (protocol == FRAGMENT) {
		bytes = 8;
		fragment = access_16(at + 2, access);
	} else {
		bytes = protocol == AUTHENTICATION ? (at[1] + 2u) * 4 : (at[1] + 1u) * 8;
	}
	if (!walk_need(walk, bytes))
		return false;
	packet->protocol = at[0];
	if (!walk_layer(walk, PACKET_IPV6_EXTENSION, bytes))
		return false;
	walk->extensions++;
	if (fragment & 0xfff9)
		packet->flags |= PACKET_FLAG_FRAGMENT;
	if (fragment & 0xfff8)
		return walk_stop(walk, PACKET_LATER_FRAGMENT);
	return true; /* next is a protocol again */
}

static inline bool in_ip(struct walk *walk, enum walk_next next)
{
	walk->next = next;
	return tunnel(walk);
}

/* AH is no extension behind IPv4, but looks the same there. */
static inline bool protocol(struct walk *walk, enum access access)
{
	switch (walk->packet->protocol) {
	case TCP:
	case UDP:
	case SCTP:
		return transport(walk, access);
	case ICMP:
		return icmp(walk, PACKET_ICMP);
	case ICMPV6:
		return icmp(walk, PACKET_ICMPV6);
	case HOP_BY_HOP:
	case ROUTING:
	case FRAGMENT:
	case DESTINATION:
	case MOBILITY:
	case HOST_IDENTITY:
	case SHIM6:
	case AUTHENTICATION:
		return extension(walk, access);
	case IPV4_IN_IP:
		return in_ip(walk, NEXT_IPV4);
	case IPV6_IN_IP:
		return in_ip(walk, NEXT_IPV6);
	case GRE:
		return gre(walk, access);
	case ESP:
		return walk_stop(walk, PACKET_ENCRYPTED);
	case NO_NEXT:
		return walk_stop(walk, PACKET_COMPLETE);
	default:
		return walk_stop(walk, PACKET_UNKNOWN_PROTOCOL);
	}
}

#endif
