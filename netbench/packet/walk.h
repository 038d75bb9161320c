/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Walk: the state of the general way through a packet, and the steps that all headers share. */
#ifndef NETBENCH_PACKET_WALK_H
#define NETBENCH_PACKET_WALK_H

#include "netbench/packet/access.h"
#include "netbench/packet/packet.h"

enum walk_next {
	NEXT_NOTHING,
	NEXT_ETHERNET,
	NEXT_SLL,
	NEXT_SLL2,
	NEXT_HDLC,
	NEXT_NULL,
	NEXT_LOOP,
	NEXT_PPP,
	NEXT_VLAN,
	NEXT_MPLS,
	NEXT_PPPOE,
	NEXT_ARP,
	NEXT_RAW,
	NEXT_IPV4,
	NEXT_IPV6,
	NEXT_PROTOCOL, /* packet->protocol */
	NEXT_VXLAN,
	NEXT_GENEVE,
};

struct walk {
	const uint8_t *data;
	struct packet *packet;
	struct packet_layer *layers; /* NULL: nobody wants them */
	enum walk_next next;
	uint32_t at;	   /* of the next header */
	uint32_t captured; /* where the capture ends, */
	uint32_t end;	   /* and where the packet does, by its own lengths */
	unsigned int vlans, extensions, tunnels;
};

static inline const uint8_t *walk_at(const struct walk *walk)
{
	return walk->data + walk->at;
}

/** Ends the walk; false, to be returned. */
static inline bool walk_stop(struct walk *walk, enum packet_reason reason)
{
	walk->packet->reason = (uint8_t)reason;
	return false;
}

/** Are so many bytes there? If not, the walk ends. */
static inline bool walk_need(struct walk *walk, uint32_t bytes)
{
	if (walk->end - walk->at < bytes)
		return walk_stop(walk, walk->packet->flags & PACKET_FLAG_QUOTED
					       ? PACKET_QUOTE_ENDS
					       : PACKET_FRAME_ENDS);
	if (walk->captured - walk->at < bytes)
		return walk_stop(walk, PACKET_CAPTURE_ENDS);
	return true;
}

/** Takes a header of so many bytes, which are there, and goes behind it. */
static inline bool walk_layer(struct walk *walk, enum packet_layer_kind kind, uint32_t bytes)
{
	struct packet *packet = walk->packet;

	if (packet->layer_count == PACKET_LAYERS_MAX)
		return walk_stop(walk, PACKET_TOO_DEEP);
	if (walk->layers)
		walk->layers[packet->layer_count] =
			(struct packet_layer){ .kind = (uint16_t)kind,
					       .offset = (uint16_t)walk->at,
					       .bytes = (uint16_t)bytes };
	packet->layer_count++;
	packet->layers |= UINT32_C(1) << kind;
	walk->at += bytes;
	return true;
}

/** The last header turns out to have so many bytes more. */
static inline void walk_lengthen(struct walk *walk, uint32_t bytes)
{
	if (walk->layers)
		walk->layers[walk->packet->layer_count - 1].bytes += (uint16_t)bytes;
	walk->at += bytes;
}

/**
 * The packet ends so many bytes from here, by a length of its own. False: it has not that many; but
 * what ICMP quotes is short by right.
 */
static inline bool walk_cut(struct walk *walk, uint32_t bytes)
{
	if (walk->end - walk->at < bytes)
		return walk->packet->flags & PACKET_FLAG_QUOTED;
	walk->end = walk->at + bytes;
	return true;
}

/** Walks, from what next says. captured is no more than end. */
void walk_packet(struct walk *walk, enum access access);

/** packet_parse_layers() with the loads of one's choice; both give the same. */
void walk_layers(enum packet_link link, const struct packet_input *input, struct packet *packet,
		 struct packet_layer layers[PACKET_LAYERS_MAX], enum access access);

#endif
