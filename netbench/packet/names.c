/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of everything that packet.h numbers, and which verdict a reason means. */
#include "netbench/packet/packet.h"

static const struct {
	const char *name;
	unsigned int link_types[3]; /* of capture files; 0 ends them, but for the first */
} links[PACKET_LINKS] = {
	[PACKET_LINK_ETHERNET] = { "Ethernet", { 1 } },
	[PACKET_LINK_RAW] = { "raw IP", { 101, 12, 14 } },
	[PACKET_LINK_IPV4] = { "IPv4", { 228 } },
	[PACKET_LINK_IPV6] = { "IPv6", { 229 } },
	[PACKET_LINK_SLL] = { "Linux cooked", { 113 } },
	[PACKET_LINK_SLL2] = { "Linux cooked 2", { 276 } },
	[PACKET_LINK_NULL] = { "loopback", { 0 } },
	[PACKET_LINK_LOOP] = { "OpenBSD loopback", { 108 } },
	[PACKET_LINK_PPP] = { "PPP", { 9, 50 } },
	[PACKET_LINK_HDLC] = { "Cisco HDLC", { 104 } },
};

int packet_link_of_type(unsigned int link_type)
{
	for (int link = 0; link < PACKET_LINKS; link++)
		for (int i = 0; i < 3 && (!i || links[link].link_types[i]); i++)
			if (links[link].link_types[i] == link_type)
				return link;
	return -1;
}

const char *packet_link_name(enum packet_link link)
{
	return links[link].name;
}

const char *packet_layer_name(enum packet_layer_kind kind)
{
	static const char *const names[PACKET_LAYER_KINDS] = {
		[PACKET_ETHERNET] = "ethernet",
		[PACKET_SLL] = "sll",
		[PACKET_SLL2] = "sll2",
		[PACKET_LOOPBACK] = "loopback",
		[PACKET_PPP] = "ppp",
		[PACKET_HDLC] = "hdlc",
		[PACKET_VLAN] = "vlan",
		[PACKET_MPLS] = "mpls",
		[PACKET_PPPOE] = "pppoe",
		[PACKET_ARP] = "arp",
		[PACKET_IPV4] = "ipv4",
		[PACKET_IPV6] = "ipv6",
		[PACKET_IPV6_EXTENSION] = "ipv6-extension",
		[PACKET_TCP] = "tcp",
		[PACKET_UDP] = "udp",
		[PACKET_ICMP] = "icmp",
		[PACKET_ICMPV6] = "icmpv6",
		[PACKET_SCTP] = "sctp",
		[PACKET_GRE] = "gre",
		[PACKET_VXLAN] = "vxlan",
		[PACKET_GENEVE] = "geneve",
	};

	return names[kind];
}

const char *packet_verdict_name(enum packet_verdict verdict)
{
	static const char *const names[PACKET_VERDICTS] = { "ok", "truncated", "malformed" };

	return names[verdict];
}

const char *packet_reason_name(enum packet_reason reason)
{
	static const char *const names[PACKET_REASONS] = {
		[PACKET_COMPLETE] = "complete",
		[PACKET_UNKNOWN_TYPE] = "unknown-type",
		[PACKET_UNKNOWN_PROTOCOL] = "unknown-protocol",
		[PACKET_UNKNOWN_LABELLED] = "unknown-labelled",
		[PACKET_LLC] = "llc",
		[PACKET_LATER_FRAGMENT] = "later-fragment",
		[PACKET_ENCRYPTED] = "encrypted",
		[PACKET_QUOTE_ENDS] = "quote-ends",
		[PACKET_TOO_DEEP] = "too-deep",
		[PACKET_CAPTURE_ENDS] = "capture-ends",
		[PACKET_FRAME_ENDS] = "frame-ends",
		[PACKET_IP_VERSION] = "ip-version",
		[PACKET_IPV4_HEADER_SHORT] = "ipv4-header-short",
		[PACKET_IPV4_TOTAL_SHORT] = "ipv4-total-short",
		[PACKET_IPV4_TOTAL_LONG] = "ipv4-total-long",
		[PACKET_IPV4_OPTION] = "ipv4-option",
		[PACKET_IPV6_LENGTH_LONG] = "ipv6-length-long",
		[PACKET_TCP_HEADER_SHORT] = "tcp-header-short",
		[PACKET_TCP_OPTION] = "tcp-option",
		[PACKET_UDP_LENGTH_SHORT] = "udp-length-short",
		[PACKET_UDP_LENGTH_LONG] = "udp-length-long",
		[PACKET_PPPOE_LENGTH_LONG] = "pppoe-length-long",
		[PACKET_GRE_VERSION] = "gre-version",
		[PACKET_GENEVE_VERSION] = "geneve-version",
	};

	return names[reason];
}

enum packet_verdict packet_reason_verdict(enum packet_reason reason)
{
	if (reason < PACKET_CAPTURE_ENDS)
		return PACKET_OK;
	return reason == PACKET_CAPTURE_ENDS ? PACKET_TRUNCATED : PACKET_MALFORMED;
}
