/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Packet: where the headers of a captured packet lie. No load is misaligned on the way, and no byte
 * behind the captured ones is touched.
 *
 * All positions are offsets from the first byte of the packet. A packet has two ends: that of what
 * was captured, and that of what its own lengths say (at first its length on the wire, then what
 * IP, PPPoE and UDP say). A header that crosses the first makes it TRUNCATED, one that crosses the
 * second MALFORMED.
 */
#ifndef NETBENCH_PACKET_PACKET_H
#define NETBENCH_PACKET_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a packet begins with. */
enum packet_link {
	PACKET_LINK_ETHERNET,
	PACKET_LINK_RAW, /* IPv4 or IPv6, by its first four bits */
	PACKET_LINK_IPV4,
	PACKET_LINK_IPV6,
	PACKET_LINK_SLL,
	PACKET_LINK_SLL2,
	PACKET_LINK_NULL, /* the address family in the byte order of whoever captured it */
	PACKET_LINK_LOOP, /* in network byte order */
	PACKET_LINK_PPP,
	PACKET_LINK_HDLC, /* Cisco's */
};
#define PACKET_LINKS (PACKET_LINK_HDLC + 1)

/** The link of a capture file's link type (LINKTYPE_ of pcap-linktype(7)); -1: not known here. */
int packet_link_of_type(unsigned int link_type);
const char *packet_link_name(enum packet_link link);

enum packet_layer_kind {
	PACKET_ETHERNET,
	PACKET_SLL,
	PACKET_SLL2,
	PACKET_LOOPBACK, /* NULL and LOOP */
	PACKET_PPP,
	PACKET_HDLC,
	PACKET_VLAN, /* a tag each, 802.1Q or 802.1ad */
	PACKET_MPLS, /* the whole stack of labels */
	PACKET_PPPOE,
	PACKET_ARP,
	PACKET_IPV4,
	PACKET_IPV6,
	PACKET_IPV6_EXTENSION, /* a header each */
	PACKET_TCP,
	PACKET_UDP,
	PACKET_ICMP,
	PACKET_ICMPV6,
	PACKET_SCTP,
	PACKET_GRE,
	PACKET_VXLAN,
	PACKET_GENEVE,
};
#define PACKET_LAYER_KINDS (PACKET_GENEVE + 1)

const char *packet_layer_name(enum packet_layer_kind kind);

/** A header, options included. */
struct packet_layer {
	uint16_t kind;
	uint16_t offset, bytes;
};

#define PACKET_LAYERS_MAX     16
#define PACKET_VLANS_MAX      4
#define PACKET_LABELS_MAX     16
#define PACKET_EXTENSIONS_MAX 8
#define PACKET_TUNNELS_MAX    4

enum packet_verdict {
	PACKET_OK,	  /* all headers are there, up to what the reason says */
	PACKET_TRUNCATED, /* the capture ends in a header */
	PACKET_MALFORMED, /* a length or a field lies */
};
#define PACKET_VERDICTS (PACKET_MALFORMED + 1)

const char *packet_verdict_name(enum packet_verdict verdict);

/** Why it ended where it did. packet_reason_name() has them in words. */
enum packet_reason {
	/* OK: */
	PACKET_COMPLETE,     /* behind the last header is payload, or nothing */
	PACKET_UNKNOWN_TYPE, /* an EtherType, or a protocol of PPP or a loopback, unknown here */
	PACKET_UNKNOWN_PROTOCOL, /* an IP protocol, likewise */
	PACKET_UNKNOWN_LABELLED, /* what the labels of MPLS are put before */
	PACKET_LLC,		 /* IEEE 802.3 with a length, and no SNAP behind it */
	PACKET_LATER_FRAGMENT,	 /* of IP: there is no header of transport */
	PACKET_ENCRYPTED,	 /* ESP */
	PACKET_QUOTE_ENDS,	 /* what ICMP quotes is short by right */
	PACKET_TOO_DEEP, /* more layers, tags, labels, extensions or tunnels than the limits */
	/* TRUNCATED: */
	PACKET_CAPTURE_ENDS,
	/* MALFORMED: */
	PACKET_FRAME_ENDS,	  /* the frame, or what a length says of it, ends in a header */
	PACKET_IP_VERSION,	  /* it is not what the layer before says */
	PACKET_IPV4_HEADER_SHORT, /* its header length is below 20 bytes */
	PACKET_IPV4_TOTAL_SHORT,  /* its total length is below its header length */
	PACKET_IPV4_TOTAL_LONG,	  /* it is more than the frame has */
	PACKET_IPV4_OPTION,	  /* an option is longer than what is left, or below 2 */
	PACKET_IPV6_LENGTH_LONG,  /* the payload length is more than the frame has */
	PACKET_TCP_HEADER_SHORT,  /* below 20 bytes */
	PACKET_TCP_OPTION,
	PACKET_UDP_LENGTH_SHORT, /* below 8 */
	PACKET_UDP_LENGTH_LONG,	 /* more than IP has */
	PACKET_PPPOE_LENGTH_LONG,
	PACKET_GRE_VERSION, /* neither 0 nor 1, or with source routes */
	PACKET_GENEVE_VERSION,
};
#define PACKET_REASONS (PACKET_GENEVE_VERSION + 1)

const char *packet_reason_name(enum packet_reason reason);
enum packet_verdict packet_reason_verdict(enum packet_reason reason);

#define PACKET_FLAG_FRAGMENT 0x01 /* of IP, the first one too */
#define PACKET_FLAG_OPTIONS  0x02 /* of IPv4 */
#define PACKET_FLAG_QUOTED   0x04 /* network and transport are those of a packet that ICMP quotes */
#define PACKET_FLAG_PORTS    0x08 /* the ports are there */

/** What a packet has. Of headers that are there several times, in tunnels, the innermost counts. */
struct packet {
	uint32_t layers;	   /* 1 << kind of each */
	uint32_t payload_bytes;	   /* behind the last header, by the packet's own lengths */
	uint32_t payload_captured; /* of these */
	uint16_t payload_offset;   /* the end of the last header */
	uint16_t network_offset;   /* of IPv4, IPv6 or ARP; only if layers has one */
	uint16_t transport_offset; /* of TCP, UDP, SCTP, ICMP; only if layers has one */
	uint16_t type;		   /* the last EtherType; 0: none */
	uint16_t source_port, destination_port; /* only with PACKET_FLAG_PORTS */
	uint16_t vlan;		 /* the outermost tag's 12 bits; only if layers has VLAN */
	uint8_t protocol;	 /* of IP, the last one; only if layers has IPv4 or IPv6 */
	uint8_t tcp_flags;	 /* only if layers has TCP */
	uint8_t verdict, reason; /* enum packet_verdict, enum packet_reason */
	uint8_t layer_count;
	uint8_t flags; /* PACKET_FLAG_ */
};

/** What is looked at: captured bytes of a packet that had wire_bytes. If it has more captured than
 *  that, what is beyond is not looked at. */
struct packet_input {
	const uint8_t *data; /* at any address */
	uint32_t captured_bytes;
	uint32_t wire_bytes;
};

/** Parses a packet: the fast path if it is one of the usual kind, or the general one. */
void packet_parse(enum packet_link link, const struct packet_input *input, struct packet *packet);

/** The same for count of them. */
void packet_parse_batch(enum packet_link link, const struct packet_input *inputs, size_t count,
			struct packet *packets);

/**
 * Parses a copy of the first bytes, made by a copy routine (memcpy's interface) in a buffer that is
 * aligned. The result is that of packet_parse(); headers beyond the region are looked at in place.
 */
#define PACKET_REGION_BYTES 128
typedef void *packet_copy_fn(void *to, const void *from, size_t bytes);
void packet_parse_copied(enum packet_link link, const struct packet_input *input,
			 packet_copy_fn *copy, struct packet *packet);

/** The general one always; layers, unless it is NULL, gets packet->layer_count headers. */
void packet_parse_layers(enum packet_link link, const struct packet_input *input,
			 struct packet *packet, struct packet_layer layers[PACKET_LAYERS_MAX]);

/** The fast path alone. False: the packet is none for it; *packet is then not written. */
bool packet_parse_fast(const struct packet_input *input, struct packet *packet);

#endif
