#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# netbench parse against tshark, on the packets of the parser's own tests: which headers, the last IP
# protocol, ports and tags. Each tells them in its own words, which are translated here.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

if ! command -v tshark >/dev/null; then
	echo '1..0 # SKIP no tshark'
	exit 0
fi
check 'a capture of every header' "$(dirname "$0")/netbench-packet" "$work/all.pcap"

# tshark's names to ours, a line a packet: layers in the order of the packet, last of each field.
tshark -r "$work/all.pcap" -n -o ip.defragment:FALSE -o ipv6.defragment:FALSE -T fields -E separator=';' -E occurrence=a -E aggregator=, \
	-d udp.port==5201,data -d tcp.port==5201,data -d sctp.port==5201,data \
	-e frame.protocols -e ip.proto -e tcp.srcport -e tcp.dstport -e udp.srcport -e udp.dstport \
	-e vlan.id >"$work/tshark" 2>"$work/err"
check 'tshark reads it' test -s "$work/tshark"
"$bin/netbench" parse "$work/all.pcap" --csv >"$work/csv"
tail -n +2 "$work/csv" >"$work/ours"
paste -d '|' "$work/ours" "$work/tshark" >"$work/both"

# A layer of ours is there if and only if tshark has one of its names for it; but behind labels its
# list of protocols leaves IP out.
awk -F '|' '
function has(list, name) { return index(":" list ":", ":" name ":") > 0 }
BEGIN {
	split("ethernet=eth vlan=vlan mpls=mpls pppoe=pppoes arp=arp ipv4=ip ipv6=ipv6 tcp=tcp " \
	      "udp=udp icmp=icmp icmpv6=icmpv6 sctp=sctp gre=gre vxlan=vxlan geneve=geneve", pairs, " ")
}
{
	split($1, ours, ","); split($2, theirs, ";")
	gsub(/ /, ":", ours[8])
	for (i in pairs) {
		split(pairs[i], pair, "=")
		if (pair[1] ~ /^ip/ && has(ours[8], "mpls"))
			continue
		if (has(ours[8], pair[1]) != has(theirs[1], pair[2]))
			printf "packet %d: %s: ours %s; tshark %s\n", NR, pair[1], ours[8], theirs[1]
	}
	ports = theirs[3] theirs[5]
	n = split(theirs[3] != "" ? theirs[3] : theirs[5], source, ",")
	m = split(theirs[4] != "" ? theirs[4] : theirs[6], destination, ",")
	if (ours[16] != "" && ours[8] !~ /sctp/ && (ours[16] != source[n] || ours[17] != destination[m]))
		printf "packet %d: ports %s %s; tshark %s;%s %s;%s\n", NR, ours[16], ours[17], theirs[3],
			theirs[5], theirs[4], theirs[6]
	split(theirs[7], tag, ",")
	if (ours[13] != tag[1])
		printf "packet %d: tag %s; tshark %s\n", NR, ours[13], theirs[7]
}' "$work/both" >"$work/differences"
if [ -s "$work/differences" ]; then
	not_ok "as tshark tells them" "$(cat "$work/differences")"
else
	ok "as tshark tells them"
fi
finish
