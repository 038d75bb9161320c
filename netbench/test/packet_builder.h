/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Packet builder: packets for tests from a recipe, a letter a header, with the lengths, types and
 * protocols filled in as the letters around ask for it; and where each header came to lie. Headers
 * are written from the first to the last, lengths afterwards.
 *
 *   E Ethernet  Z the same with LLC and SNAP  S, s Linux cooked 1, 2  N, L loopback, little endian
 *   and network order  P, p PPP whole, and without what may be left out  H Cisco HDLC
 *   V a tag  M two labels  O PPPoE  A ARP
 *   4 IPv4  o with options  F, f first and later fragment  6 IPv6  h, r, d, x extensions (hop by
 *   hop, routing, destination, authentication)  g, q first and later fragment of IPv6
 *   T TCP  t with a timestamp  u with other options  U UDP  I, J ICMP, ICMPv6  i, j errors of
 * these, which quote what follows  C SCTP  G, K GRE plain, and with checksum, key and number X
 * VXLAN, Y Geneve with options, each behind UDP
 */
#ifndef NETBENCH_TEST_PACKET_BUILDER_H
#define NETBENCH_TEST_PACKET_BUILDER_H

#include <string.h>

#include "netbench/packet/packet.h"

#define BUILT_BYTES_MAX 4096

struct built {
	enum packet_link link; /* by the first letter; IP is PACKET_LINK_RAW */
	uint8_t data[BUILT_BYTES_MAX];
	uint32_t bytes;
	uint32_t payload_offset;
	unsigned int count;
	struct packet_layer layers[PACKET_LAYERS_MAX + 16];
};

static inline void put_16(uint8_t *at, unsigned int value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline bool is_one_of(char letter, const char *letters)
{
	return letter && strchr(letters, letter);
}

static inline unsigned int ether_type(char next)
{
	return is_one_of(next, "4oFf") ? 0x0800
	       : next == '6'	       ? 0x86dd
	       : next == 'V'	       ? 0x8100
	       : next == 'M'	       ? 0x8847
	       : next == 'O'	       ? 0x8864
	       : next == 'A'	       ? 0x0806
	       : is_one_of(next, "EZ") ? 0x6558
	       : is_one_of(next, "Pp") ? 0x880b
				       : 0x88b5; /* local experiments */
}

static inline unsigned int ip_protocol(char next)
{
	return is_one_of(next, "Ttu")	 ? 6
	       : next == 'U'		 ? 17
	       : is_one_of(next, "Ii")	 ? 1
	       : is_one_of(next, "Jj")	 ? 58
	       : next == 'C'		 ? 132
	       : is_one_of(next, "GK")	 ? 47
	       : is_one_of(next, "4oFf") ? 4
	       : next == '6'		 ? 41
	       : next == 'h'		 ? 0
	       : next == 'r'		 ? 43
	       : next == 'd'		 ? 60
	       : next == 'x'		 ? 51
	       : is_one_of(next, "gq")	 ? 44
					 : 253; /* experiments */
}

static inline unsigned int ppp_protocol(char next)
{
	return is_one_of(next, "4oFf") ? 0x21 : next == '6' ? 0x57 : next == 'M' ? 0x281 : 0x23;
}

static inline unsigned int link_header(char letter, char next, uint8_t *at)
{
	switch (letter) {
	case 'E':
		memset(at, 2, 12);
		put_16(at + 12, ether_type(next));
		return 14;
	case 'Z':
		memset(at, 2, 12);
		memcpy(at + 14, "\xaa\xaa\x03\0\0\0", 6);
		put_16(at + 20, ether_type(next));
		return 22;
	case 'S':
		put_16(at + 14, ether_type(next));
		return 16;
	case 's':
		put_16(at, ether_type(next));
		return 20;
	case 'N':
		at[0] = next == '6' ? 30 : 2;
		return 4;
	case 'L':
		at[3] = next == '6' ? 24 : 2;
		return 4;
	case 'P':
		memcpy(at, "\xff\x03", 2);
		put_16(at + 2, ppp_protocol(next));
		return 4;
	case 'p':
		if (ppp_protocol(next) < 256) {
			at[0] = (uint8_t)ppp_protocol(next);
			return 1;
		}
		put_16(at, ppp_protocol(next));
		return 2;
	default: /* H */
		memcpy(at, "\x0f\0", 2);
		put_16(at + 2, ether_type(next));
		return 4;
	}
}

static inline unsigned int middle_header(char letter, char next, uint8_t *at)
{
	switch (letter) {
	case 'V':
		put_16(at, 0x6005);
		put_16(at + 2, ether_type(next));
		return 4;
	case 'M':
		memcpy(at, "\x00\x01\x00\x40\x00\x02\x01\x40", 8);
		return 8;
	case 'O':
		memcpy(at, "\x11\x00\x00\x07", 4);
		return 6;
	case 'A':
		memcpy(at, "\0\1\x08\0\6\4\0\1", 8);
		return 28;
	case 'G':
		put_16(at + 2, ether_type(next));
		return 4;
	case 'K':
		put_16(at, 0xb000);
		put_16(at + 2, ether_type(next));
		return 16;
	case 'X':
		at[0] = 8;
		return 8;
	default: /* Y */
		at[0] = 2;
		put_16(at + 2, ether_type(next));
		return 16;
	}
}

static inline unsigned int ip_header(char letter, char next, uint8_t *at)
{
	unsigned int bytes = letter == 'o' ? 28 : 20;

	switch (letter) {
	case '6':
		at[0] = 0x60;
		at[6] = (uint8_t)ip_protocol(next);
		return 40;
	case 'h':
	case 'd':
		at[0] = (uint8_t)ip_protocol(next);
		at[1] = 1;
		return 16;
	case 'r':
		at[0] = (uint8_t)ip_protocol(next);
		return 8;
	case 'x':
		at[0] = (uint8_t)ip_protocol(next);
		at[1] = 4;
		return 24;
	case 'g':
	case 'q':
		at[0] = (uint8_t)ip_protocol(next);
		put_16(at + 2, letter == 'g' ? 1 : 9);
		return 8;
	default:
		at[0] = (uint8_t)(0x40 | bytes / 4);
		at[8] = 64;
		at[9] = (uint8_t)ip_protocol(next);
		if (letter == 'o') /* a record of routes, and padding */
			memcpy(at + 20, "\x07\x07\x04\0\0\0\0\0", 8);
		put_16(at + 6, letter == 'F' ? 0x2000 : letter == 'f' ? 0x2010 : 0x4000);
		return bytes;
	}
}

static inline unsigned int transport_header(char letter, char next, uint8_t *at)
{
	put_16(at, 0xc001);
	put_16(at + 2, next == 'X' ? 4789 : next == 'Y' ? 6081 : 5201);
	switch (letter) {
	case 'T':
		put_16(at + 12, 0x5018);
		return 20;
	case 't':
		put_16(at + 12, 0x8010);
		memcpy(at + 20, "\1\1\x08\x0a", 4);
		return 32;
	case 'u':
		put_16(at + 12, 0xa002);
		memcpy(at + 20, "\2\4\5\xb4\4\2\x08\x0a\0\0\0\0\0\0\0\0\1\3\3\7", 20);
		return 40;
	case 'U':
		return 8;
	case 'C':
		return 12;
	default: /* ICMP */
		at[0] = letter == 'I' ? 8 : letter == 'J' ? 128 : letter == 'i' ? 3 : 1;
		return letter == 'J' ? 4 : 8;
	}
}

static const struct {
	const char *letters;
	unsigned int (*write)(char letter, char next, uint8_t *at);
} groups[] = {
	{ "EZSsNLPpH", link_header },
	{ "VMOAGKXY", middle_header },
	{ "4oFf6hrdxgq", ip_header },
	{ "TtuUIJijC", transport_header },
};

static inline enum packet_layer_kind kind_of(char letter)
{
	static const char letters[] = "EZSsNLPpHVMOAGKXY4oFf6hrdxgqTtuUIJijC";
	static const uint8_t kinds[] = {
		PACKET_ETHERNET,
		PACKET_ETHERNET,
		PACKET_SLL,
		PACKET_SLL2,
		PACKET_LOOPBACK,
		PACKET_LOOPBACK,
		PACKET_PPP,
		PACKET_PPP,
		PACKET_HDLC,
		PACKET_VLAN,
		PACKET_MPLS,
		PACKET_PPPOE,
		PACKET_ARP,
		PACKET_GRE,
		PACKET_GRE,
		PACKET_VXLAN,
		PACKET_GENEVE,
		PACKET_IPV4,
		PACKET_IPV4,
		PACKET_IPV4,
		PACKET_IPV4,
		PACKET_IPV6,
		PACKET_IPV6_EXTENSION,
		PACKET_IPV6_EXTENSION,
		PACKET_IPV6_EXTENSION,
		PACKET_IPV6_EXTENSION,
		PACKET_IPV6_EXTENSION,
		PACKET_IPV6_EXTENSION,
		PACKET_TCP,
		PACKET_TCP,
		PACKET_TCP,
		PACKET_UDP,
		PACKET_ICMP,
		PACKET_ICMPV6,
		PACKET_ICMP,
		PACKET_ICMPV6,
		PACKET_SCTP,
	};

	return (enum packet_layer_kind)kinds[strchr(letters, letter) - letters];
}

static inline enum packet_link link_of(char letter)
{
	static const char letters[] = "EZSsNLPpH";
	static const uint8_t links[] = { PACKET_LINK_ETHERNET, PACKET_LINK_ETHERNET,
					 PACKET_LINK_SLL,      PACKET_LINK_SLL2,
					 PACKET_LINK_NULL,     PACKET_LINK_LOOP,
					 PACKET_LINK_PPP,      PACKET_LINK_PPP,
					 PACKET_LINK_HDLC };
	const char *found = strchr(letters, letter);

	return found ? (enum packet_link)links[found - letters] : PACKET_LINK_RAW;
}

static inline void write_length(char letter, uint8_t *at, unsigned int bytes)
{
	if (is_one_of(letter, "4oFf"))
		put_16(at + 2, bytes);
	else if (letter == '6')
		put_16(at + 4, bytes - 40);
	else if (letter == 'U')
		put_16(at + 4, bytes);
	else if (letter == 'O')
		put_16(at + 4, bytes - 6);
	else if (letter == 'Z')
		put_16(at + 12, bytes - 14);
}

/** Builds one with so many bytes of payload. */
static inline void packet_build(const char *recipe, uint32_t payload_bytes, struct built *built)
{
	memset(built, 0, sizeof(*built));
	built->link = link_of(recipe[0]);
	for (const char *letter = recipe; *letter; letter++) {
		struct packet_layer *layer = &built->layers[built->count++];

		layer->kind = (uint16_t)kind_of(*letter);
		layer->offset = (uint16_t)built->bytes;
		for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
			if (is_one_of(*letter, groups[i].letters))
				layer->bytes = (uint16_t)groups[i].write(
					*letter, letter[1], built->data + built->bytes);
		built->bytes += layer->bytes;
	}
	built->payload_offset = built->bytes;
	memset(built->data + built->bytes, 0x5a, payload_bytes);
	built->bytes += payload_bytes;
	for (unsigned int i = 0; i < built->count; i++)
		write_length(recipe[i], built->data + built->layers[i].offset,
			     built->bytes - built->layers[i].offset);
}

#endif
