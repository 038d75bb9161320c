/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Walk, link: the headers of links and tunnels, and those between link and network. A function
 * takes the header that lies at walk->at, if it is one, and says what is next; false: that was all.
 */
#ifndef NETBENCH_PACKET_WALK_LINK_H
#define NETBENCH_PACKET_WALK_LINK_H

#include "netbench/packet/access.h"
#include "netbench/packet/numbers.h"
#include "netbench/packet/walk.h"

static inline enum walk_next next_of_type(uint16_t type)
{
	switch (type) {
	case TYPE_IPV4:
		return NEXT_IPV4;
	case TYPE_IPV6:
		return NEXT_IPV6;
	case TYPE_ARP:
		return NEXT_ARP;
	case VLAN_C:
	case VLAN_S:
	case VLAN_OLD:
		return NEXT_VLAN;
	case TYPE_MPLS:
	case TYPE_MPLS_MORE:
		return NEXT_MPLS;
	case TYPE_DISCOVERY:
	case TYPE_SESSION:
		return NEXT_PPPOE;
	case TYPE_PPP:
		return NEXT_PPP;
	case TYPE_BRIDGED:
		return NEXT_ETHERNET;
	default:
		return NEXT_NOTHING;
	}
}

static inline bool take_type(struct walk *walk, uint16_t type)
{
	walk->packet->type = type;
	walk->next = next_of_type(type);
	return walk->next != NEXT_NOTHING || walk_stop(walk, PACKET_UNKNOWN_TYPE);
}

/* -- links ---------------------------------------------------------------------------------- */

static inline bool ethernet(struct walk *walk, enum access access)
{
	const uint8_t *snap;
	uint16_t type;

	if (!walk_need(walk, 14))
		return false;
	type = access_16(walk_at(walk) + 12, access);
	if (!walk_layer(walk, PACKET_ETHERNET, 14))
		return false;
	if (type >= TYPES_FROM)
		return take_type(walk, type);
	/* A length; what is behind it is padding. */
	if (!walk_cut(walk, type))
		return walk_stop(walk, PACKET_FRAME_ENDS);
	if (walk->end - walk->at < 8)
		return walk_stop(walk, PACKET_LLC);
	if (!walk_need(walk, 8))
		return false;
	snap = walk_at(walk);
	if (snap[0] != 0xaa || snap[1] != 0xaa || snap[2] != 3 || snap[3] || snap[4] || snap[5])
		return walk_stop(walk, PACKET_LLC);
	walk_lengthen(walk, 8);
	return take_type(walk, access_16(snap + 6, access));
}

static inline bool cooked(struct walk *walk, enum packet_layer_kind kind, unsigned int bytes,
			  unsigned int type_at, enum access access)
{
	uint16_t type;

	if (!walk_need(walk, bytes))
		return false;
	type = access_16(walk_at(walk) + type_at, access);
	return walk_layer(walk, kind, bytes) && take_type(walk, type);
}

static inline bool loopback(struct walk *walk, bool either_order, enum access access)
{
	const uint8_t *at;
	uint32_t family;

	if (!walk_need(walk, 4))
		return false;
	at = walk_at(walk);
	family = access_32(at, access);
	if (either_order && family > 0xffff)
		family = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
			 (uint32_t)at[3] << 24;
	if (!walk_layer(walk, PACKET_LOOPBACK, 4))
		return false;
	switch (family) {
	case 2:
		walk->next = NEXT_IPV4;
		return true;
	case 10: /* Linux, and the BSDs with numbers of their own */
	case 24:
	case 28:
	case 30:
		walk->next = NEXT_IPV6;
		return true;
	default:
		return walk_stop(walk, PACKET_UNKNOWN_TYPE);
	}
}

/* Address and control may be left out, and are in PPPoE (RFC 2516); so may be the first byte of a
 * protocol, if it is 0. */
static inline bool ppp(struct walk *walk)
{
	unsigned int bytes = 0;
	const uint8_t *at;
	uint16_t protocol;

	if (!walk_need(walk, 2))
		return false;
	at = walk_at(walk);
	if (at[0] == 0xff && at[1] == 3 && !(walk->packet->layers & 1u << PACKET_PPPOE))
		bytes = 2;
	if (!walk_need(walk, bytes + 1))
		return false;
	if (at[bytes] & 1) {
		protocol = at[bytes];
		bytes += 1;
	} else {
		if (!walk_need(walk, bytes + 2))
			return false;
		protocol = access_16(at + bytes, ACCESS_BYTES);
		bytes += 2;
	}
	if (!walk_layer(walk, PACKET_PPP, bytes))
		return false;
	walk->next = protocol == 0x0021	  ? NEXT_IPV4
		     : protocol == 0x0057 ? NEXT_IPV6
		     : protocol == 0x0281 ? NEXT_MPLS
					  : NEXT_NOTHING;
	return walk->next != NEXT_NOTHING || walk_stop(walk, PACKET_UNKNOWN_TYPE);
}

/* -- between link and network --------------------------------------------------------------- */

static inline bool vlan(struct walk *walk, enum access access)
{
	uint16_t tag, type;

	if (!walk_need(walk, 4))
		return false;
	if (walk->vlans == PACKET_VLANS_MAX)
		return walk_stop(walk, PACKET_TOO_DEEP);
	tag = access_16(walk_at(walk), access) & 0xfff;
	type = access_16(walk_at(walk) + 2, access);
	if (!walk_layer(walk, PACKET_VLAN, 4))
		return false;
	if (!walk->vlans++)
		walk->packet->vlan = tag;
	if (type < TYPES_FROM)
		return walk_stop(walk, PACKET_LLC);
	return take_type(walk, type);
}

/* What follows the stack has no number: its first four bits tell IP apart from a control word. */
static inline bool mpls(struct walk *walk)
{
	unsigned int bytes = 0;
	bool bottom;

	do {
		if (bytes == 4 * PACKET_LABELS_MAX)
			return walk_stop(walk, PACKET_TOO_DEEP);
		if (!walk_need(walk, bytes + 4))
			return false;
		bottom = walk_at(walk)[bytes + 2] & 1;
		bytes += 4;
	} while (!bottom);
	if (!walk_layer(walk, PACKET_MPLS, bytes))
		return false;
	if (walk->at == walk->end)
		return walk_stop(walk, PACKET_COMPLETE);
	if (!walk_need(walk, 1))
		return false;
	switch (walk_at(walk)[0] >> 4) {
	case 4:
		walk->next = NEXT_IPV4;
		return true;
	case 6:
		walk->next = NEXT_IPV6;
		return true;
	default:
		return walk_stop(walk, PACKET_UNKNOWN_LABELLED);
	}
}

static inline bool pppoe(struct walk *walk, enum access access)
{
	uint16_t length;

	if (!walk_need(walk, 6))
		return false;
	length = access_16(walk_at(walk) + 4, access);
	if (!walk_layer(walk, PACKET_PPPOE, 6))
		return false;
	if (!walk_cut(walk, length))
		return walk_stop(walk, PACKET_PPPOE_LENGTH_LONG);
	if (walk->packet->type == TYPE_DISCOVERY)
		return walk_stop(walk, PACKET_COMPLETE);
	walk->next = NEXT_PPP;
	return true;
}

static inline bool arp(struct walk *walk)
{
	unsigned int bytes;

	if (!walk_need(walk, 8))
		return false;
	bytes = 8 + 2 * (walk_at(walk)[4] + walk_at(walk)[5]);
	if (!walk_need(walk, bytes))
		return false;
	walk->packet->network_offset = (uint16_t)walk->at;
	return walk_layer(walk, PACKET_ARP, bytes) && walk_stop(walk, PACKET_COMPLETE);
}

/* -- tunnels -------------------------------------------------------------------------------- */

static inline bool tunnel(struct walk *walk)
{
	if (walk->tunnels++ == PACKET_TUNNELS_MAX)
		return walk_stop(walk, PACKET_TOO_DEEP);
	return true;
}

static inline bool gre(struct walk *walk, enum access access)
{
	unsigned int bytes, version;
	uint16_t flags, type;

	if (!walk_need(walk, 4))
		return false;
	flags = access_16(walk_at(walk), access);
	type = access_16(walk_at(walk) + 2, access);
	version = flags & 7;
	if (version > 1 || flags & 0x4000)
		return walk_stop(walk, PACKET_GRE_VERSION);
	bytes = 4 + (flags & 0x8000 ? 4 : 0) + (flags & 0x2000 ? 4 : 0) + (flags & 0x1000 ? 4 : 0) +
		(version == 1 && flags & 0x80 ? 4 : 0);
	if (!walk_need(walk, bytes))
		return false;
	/* PPTP's may be an acknowledgement alone. */
	if (!walk_layer(walk, PACKET_GRE, bytes) || !tunnel(walk))
		return false;
	if (walk->at == walk->end)
		return walk_stop(walk, PACKET_COMPLETE);
	return take_type(walk, type);
}

static inline bool vxlan(struct walk *walk)
{
	/* Others use this port too: no header, or none of VXLAN's, is payload. */
	if (walk->end - walk->at < 8)
		return walk_stop(walk, PACKET_COMPLETE);
	if (!walk_need(walk, 8))
		return false;
	if (!(walk_at(walk)[0] & VXLAN_HAS_NUMBER))
		return walk_stop(walk, PACKET_COMPLETE);
	if (!walk_layer(walk, PACKET_VXLAN, 8) || !tunnel(walk))
		return false;
	walk->next = NEXT_ETHERNET;
	return true;
}

static inline bool geneve(struct walk *walk, enum access access)
{
	unsigned int bytes;
	uint16_t type;

	if (walk->end - walk->at < 8)
		return walk_stop(walk, PACKET_COMPLETE);
	if (!walk_need(walk, 8))
		return false;
	if (walk_at(walk)[0] >> 6)
		return walk_stop(walk, PACKET_GENEVE_VERSION);
	bytes = 8 + 4 * (walk_at(walk)[0] & 0x3f);
	type = access_16(walk_at(walk) + 2, access);
	if (!walk_need(walk, bytes))
		return false;
	return walk_layer(walk, PACKET_GENEVE, bytes) && tunnel(walk) && take_type(walk, type);
}

#endif
