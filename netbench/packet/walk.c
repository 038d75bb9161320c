/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Walk: a loop that takes one header a turn until a reason ends it. Each turn moves forward, or to
 * a header that does, and none is read before it is known to be there whole. It is compiled twice,
 * for the two ways of access.h.
 */
#include "netbench/packet/access.h"
#include "netbench/packet/walk.h"
#include "netbench/packet/walk_link.h"
#include "netbench/packet/walk_network.h"

static inline __attribute__((always_inline)) bool turn(struct walk *walk, enum access access)
{
	switch (walk->next) {
	case NEXT_ETHERNET:
		return ethernet(walk, access);
	case NEXT_SLL:
		return cooked(walk, PACKET_SLL, 16, 14, access);
	case NEXT_SLL2:
		return cooked(walk, PACKET_SLL2, 20, 0, access);
	case NEXT_HDLC:
		return cooked(walk, PACKET_HDLC, 4, 2, access);
	case NEXT_NULL:
		return loopback(walk, true, access);
	case NEXT_LOOP:
		return loopback(walk, false, access);
	case NEXT_PPP:
		return ppp(walk);
	case NEXT_VLAN:
		return vlan(walk, access);
	case NEXT_MPLS:
		return mpls(walk);
	case NEXT_PPPOE:
		return pppoe(walk, access);
	case NEXT_ARP:
		return arp(walk);
	case NEXT_RAW:
		return raw(walk);
	case NEXT_IPV4:
		return ipv4(walk, access);
	case NEXT_IPV6:
		return ipv6(walk, access);
	case NEXT_PROTOCOL:
		return protocol(walk, access);
	case NEXT_VXLAN:
		return vxlan(walk);
	case NEXT_GENEVE:
		return geneve(walk, access);
	case NEXT_NOTHING:
		break;
	}
	return false;
}

static void walk_by_bytes(struct walk *walk)
{
	while (turn(walk, ACCESS_BYTES))
		;
}

/* True: a header lies at an odd address, so the rest is for the other. Only PPP makes that. */
static bool walk_by_halves(struct walk *walk)
{
	while (turn(walk, ACCESS_HALVES))
		if (walk->at & 1)
			return true;
	return false;
}

void walk_packet(struct walk *walk, enum access access)
{
	if (access == ACCESS_BYTES || (uintptr_t)walk->data & 1 || walk_by_halves(walk))
		walk_by_bytes(walk);
}
