/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Packet: the fast path, and the general one around it. */
#include "netbench/packet/access.h"
#include "netbench/packet/numbers.h"
#include "netbench/packet/packet.h"
#include "netbench/packet/walk.h"

static const enum walk_next first[PACKET_LINKS] = {
	[PACKET_LINK_ETHERNET] = NEXT_ETHERNET, [PACKET_LINK_RAW] = NEXT_RAW,
	[PACKET_LINK_IPV4] = NEXT_IPV4,		[PACKET_LINK_IPV6] = NEXT_IPV6,
	[PACKET_LINK_SLL] = NEXT_SLL,		[PACKET_LINK_SLL2] = NEXT_SLL2,
	[PACKET_LINK_NULL] = NEXT_NULL,		[PACKET_LINK_LOOP] = NEXT_LOOP,
	[PACKET_LINK_PPP] = NEXT_PPP,		[PACKET_LINK_HDLC] = NEXT_HDLC,
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void walk_layers(enum packet_link link, const struct packet_input *input, struct packet *packet,
		 struct packet_layer layers[PACKET_LAYERS_MAX], enum access access)
{
	struct walk walk = {
		.data = input->data,
		.packet = packet,
		.layers = layers,
		.next = first[link],
		.captured = smaller(input->captured_bytes, input->wire_bytes),
		.end = input->wire_bytes,
	};

	*packet = (struct packet){ .layers = 0 };
	walk_packet(&walk, access);
	packet->verdict = (uint8_t)packet_reason_verdict((enum packet_reason)packet->reason);
	packet->payload_offset = (uint16_t)walk.at;
	packet->payload_bytes = walk.end - walk.at;
	packet->payload_captured = smaller(walk.end, walk.captured) - walk.at;
}

/* Apart from the fast path, so that this needs no registers of the caller's. */
__attribute__((noinline)) void packet_parse_layers(enum packet_link link,
						   const struct packet_input *input,
						   struct packet *packet,
						   struct packet_layer layers[PACKET_LAYERS_MAX])
{
	walk_layers(link, input, packet, layers, ACCESS_BEST);
}

/* -- the fast path -------------------------------------------------------------------------- */

/* Where things are in Ethernet with IPv4 of 20 bytes and TCP or UDP. */
#define ETHERNET_TYPE 12
#define IP	      14
#define IP_TOTAL      (IP + 2)
#define IP_FRAGMENT   (IP + 6)
#define IP_PROTOCOL   (IP + 9)
#define TRANSPORT     34
#define UDP_LENGTH    (TRANSPORT + 4)
#define TCP_HEADER    (TRANSPORT + 12)
#define TCP_FLAGS     (TRANSPORT + 13)
#define TCP_OPTIONS   (TRANSPORT + 20)
#define FAST_BYTES    54
#define AHEAD	      8 /* packets: as long as memory takes */
#define LAYERS(kind)  (1u << PACKET_ETHERNET | 1u << PACKET_IPV4 | 1u << (kind))

/* The end of the transport's header; 0: the general way is to look at it. */
static inline uint32_t fast_tcp(const uint8_t *data, uint32_t here)
{
	uint32_t bytes = data[TCP_HEADER] >> 4 << 2;

	if (bytes == 20)
		return TRANSPORT + 20;
	/* No operation, twice, and a timestamp of 10 bytes: what most have. */
	if (bytes != 32 || here < TRANSPORT + 32 ||
	    access_32(data + TCP_OPTIONS, ACCESS_BEST) != 0x0101080a)
		return 0;
	return TRANSPORT + 32;
}

static inline __attribute__((always_inline)) bool fast(const struct packet_input *input,
						       struct packet *packet)
{
	const uint8_t *data = input->data;
	uint32_t here = smaller(input->captured_bytes, input->wire_bytes);
	uint32_t end, header_end, kind;
	uint16_t destination;

	if (here < FAST_BYTES || access_16(data + ETHERNET_TYPE, ACCESS_BEST) != TYPE_IPV4 ||
	    data[IP] != 0x45 || access_16(data + IP_FRAGMENT, ACCESS_BEST) & 0x3fff)
		return false;
	end = IP + access_16(data + IP_TOTAL, ACCESS_BEST);
	if (end > input->wire_bytes)
		return false;
	destination = access_16(data + TRANSPORT + 2, ACCESS_BEST);
	if (data[IP_PROTOCOL] == TCP) {
		kind = PACKET_TCP;
		header_end = fast_tcp(data, here);
		if (!header_end || end < header_end)
			return false;
	} else if (data[IP_PROTOCOL] == UDP && destination != PORT_VXLAN &&
		   destination != PORT_GENEVE) {
		uint32_t length = access_16(data + UDP_LENGTH, ACCESS_BEST);

		kind = PACKET_UDP;
		header_end = TRANSPORT + 8;
		if (length < 8 || TRANSPORT + length > end)
			return false;
		end = TRANSPORT + length;
	} else {
		return false;
	}
	*packet = (struct packet){
		.layers = LAYERS(kind),
		.payload_bytes = end - header_end,
		.payload_captured = here > header_end ? smaller(end, here) - header_end : 0,
		.payload_offset = (uint16_t)header_end,
		.network_offset = IP,
		.transport_offset = TRANSPORT,
		.type = TYPE_IPV4,
		.source_port = access_16(data + TRANSPORT, ACCESS_BEST),
		.destination_port = destination,
		.protocol = data[IP_PROTOCOL],
		.tcp_flags = kind == PACKET_TCP ? data[TCP_FLAGS] : 0,
		.layer_count = 3,
		.flags = PACKET_FLAG_PORTS,
	};
	return true;
}

static inline bool fast_is_allowed(const struct packet_input *input)
{
	return ACCESS_BEST == ACCESS_BYTES || !((uintptr_t)input->data & 1);
}

bool packet_parse_fast(const struct packet_input *input, struct packet *packet)
{
	return fast_is_allowed(input) && fast(input, packet);
}

static inline __attribute__((always_inline)) void
parse(enum packet_link link, const struct packet_input *input, struct packet *packet)
{
	if (link != PACKET_LINK_ETHERNET || !fast_is_allowed(input) || !fast(input, packet))
		packet_parse_layers(link, input, packet, NULL);
}

void packet_parse(enum packet_link link, const struct packet_input *input, struct packet *packet)
{
	parse(link, input, packet);
}

void packet_parse_batch(enum packet_link link, const struct packet_input *inputs, size_t count,
			struct packet *packets)
{
	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			__builtin_prefetch(inputs[i + AHEAD].data + FAST_BYTES / 2);
		parse(link, &inputs[i], &packets[i]);
	}
}

/* -- by a copy ------------------------------------------------------------------------------ */

#define REGION_ALIGNMENT 64

/* What copy routines are used for where loads in place would be misaligned. */
void packet_parse_copied(enum packet_link link, const struct packet_input *input,
			 packet_copy_fn *copy, struct packet *packet)
{
	_Alignas(REGION_ALIGNMENT) uint8_t region[PACKET_REGION_BYTES];
	uint32_t here = smaller(input->captured_bytes, input->wire_bytes);
	const struct packet_input copied = { .data = region,
					     .captured_bytes = smaller(here, sizeof(region)),
					     .wire_bytes = input->wire_bytes };

	copy(region, input->data, copied.captured_bytes);
	packet_parse(link, &copied, packet);
	if (packet->verdict == PACKET_TRUNCATED && copied.captured_bytes < here) {
		packet_parse(link, input, packet);
		return;
	}
	packet->payload_captured = smaller(packet->payload_bytes, here - packet->payload_offset);
}
