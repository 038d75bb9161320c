/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Numbers that headers tell each other by: EtherTypes, ports of tunnels, IP protocols (IANA). */
#ifndef NETBENCH_PACKET_NUMBERS_H
#define NETBENCH_PACKET_NUMBERS_H

#define VLAN_C		 0x8100
#define VLAN_S		 0x88a8
#define VLAN_OLD	 0x9100
#define TYPE_IPV4	 0x0800
#define TYPE_IPV6	 0x86dd
#define TYPE_ARP	 0x0806
#define TYPE_MPLS	 0x8847
#define TYPE_MPLS_MORE	 0x8848
#define TYPE_DISCOVERY	 0x8863
#define TYPE_SESSION	 0x8864
#define TYPE_PPP	 0x880b
#define TYPE_BRIDGED	 0x6558 /* Ethernet in GRE and Geneve */
#define TYPES_FROM	 0x0600 /* what is below is a length */
#define VXLAN_HAS_NUMBER 0x08

#define PORT_VXLAN  4789
#define PORT_GENEVE 6081

/* IP protocols */
#define HOP_BY_HOP     0
#define ICMP	       1
#define IPV4_IN_IP     4
#define TCP	       6
#define UDP	       17
#define IPV6_IN_IP     41
#define ROUTING	       43
#define FRAGMENT       44
#define GRE	       47
#define ESP	       50
#define AUTHENTICATION 51
#define ICMPV6	       58
#define NO_NEXT	       59
#define DESTINATION    60
#define SCTP	       132
#define MOBILITY       135
#define HOST_IDENTITY  139
#define SHIM6	       140

#endif
