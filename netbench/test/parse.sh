#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# netbench parse as a whole, on a capture of three packets written here byte by byte: TCP over IPv4
# with a tag, UDP cut by the capture after its ports, and an IP header length that lies.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

netbench=$bin/netbench
# bytes HEX...: as they are.
bytes()
{
	for word; do
		while [ -n "$word" ]; do
			rest=${word#??}
			# shellcheck disable=SC2059 # an octal escape
			printf "\\$(printf %03o "0x${word%"$rest"}")"
			word=$rest
		done
	done
}
ethernet='020202020202 020202020202'
# shellcheck disable=SC2086 # words
{
	bytes d4c3b2a1 0200 0400 00000000 00000000 ffff0000 01000000
	bytes 01000000 05000000 3a000000 3a000000 $ethernet 8100 6005 0800 \
		4500 0028 0000 4000 40 06 0000 0a000001 0a000002 \
		c001 1451 00000000 00000000 5012 0000 0000 0000
	bytes 01000000 06000000 26000000 3c000000 $ethernet 0800 \
		4500 002e 0000 4000 40 11 0000 0a000001 0a000002 c001 1451
	bytes 02000000 00000000 22000000 22000000 $ethernet 0800 \
		4400 0014 0000 4000 40 06 0000 0a000001 0a000002
} >"$work/three.pcap"

"$netbench" parse "$work/three.pcap" --csv >"$work/csv" 2>"$work/err"
check 'CSV: status 0' test $? -eq 0
cat >"$work/wanted" <<'end'
number,time_s,captured_bytes,wire_bytes,address_mod_4,verdict,reason,layers,network_offset,transport_offset,payload_offset,payload_bytes,vlan,type,protocol,source_port,destination_port,tcp_flags
1,1.000005000,58,58,0,ok,complete,ethernet vlan ipv4 tcp,18,38,58,0,5,2048,6,49153,5201,18
2,1.000006000,38,60,2,truncated,capture-ends,ethernet ipv4,14,,34,26,,2048,17,49153,5201,
3,2.000000000,34,34,0,malformed,ipv4-header-short,ethernet,,,14,20,,2048,,,,
end
check 'CSV: a line a packet' diff "$work/wanted" "$work/csv"

"$netbench" parse "$work/three.pcap" --csv --copy byte >"$work/csv" 2>"$work/err"
check 'copied: the same' diff "$work/wanted" "$work/csv"
check 'bench, copied' sh -c \
	"'$netbench' parse '$work/three.pcap' --bench --copy c-words | grep -q '^  parser, copied  *[0-9.]* \\['"
refused 'an unknown variant' 2 '--copy bite: no such variant; there are: none, libc, byte' \
	"$netbench" parse "$work/three.pcap" --copy bite
check 'CSV: so many as asked for' test "$("$netbench" parse "$work/three.pcap" --csv -c 2 | wc -l)" -eq 3

check 'JSON' "$netbench" parse "$work/three.pcap" --json "$work/json"
check 'JSON: its counts' jq -e '.packets == 3 and .captured_bytes == 130 and .wire_bytes == 152 and
	.verdicts == {"ok": 1, "truncated": 1, "malformed": 1} and
	.reasons == {"complete": 1, "capture-ends": 1, "ipv4-header-short": 1} and
	.layers == {"ethernet": 3, "vlan": 1, "ipv4": 2, "tcp": 1} and
	.ip_protocols == {"6": 1, "17": 1} and (has("ends_early") | not)' "$work/json"
check 'JSON: from a pipe, on standard output' sh -c \
	"cat '$work/three.pcap' | '$netbench' parse - --json - | jq -e '.packets == 3'"
check 'text' sh -c "'$netbench' parse '$work/three.pcap' | grep -q 'ipv4-header-short  *1  *33.3 %'"
check 'bench' sh -c "'$netbench' parse '$work/three.pcap' --bench | grep -q '^  parser  *[0-9.]* \\['"

head -c 140 "$work/three.pcap" >"$work/cut.pcap"
refused 'cut: where, and what is missing' 1 'packet 2, at byte 98: the file ends 12 bytes too early' \
	"$netbench" parse "$work/cut.pcap" --json "$work/json"
check 'cut: what was read is kept' jq -e '.packets == 1 and (.ends_early | startswith("packet 2"))' \
	"$work/json"
{ head -c 20 "$work/three.pcap"; bytes 69000000; tail -c +25 "$work/three.pcap"; } >"$work/wifi.pcap"
refused 'a link that is not known' 2 'its link type 105 is not known here; these are: Ethernet' \
	"$netbench" parse "$work/wifi.pcap"
refused 'no capture' 2 'no capture file' "$netbench" parse "$0"
refused 'no file' 2 'No such file' "$netbench" parse "$work/none.pcap"
refused 'nothing' 2 'one file is wanted' "$netbench" parse
refused 'two' 2 'one file is wanted' "$netbench" parse "$work/three.pcap" "$work/three.pcap"
refused 'no number' 2 '--count 0: a number from 1 on' "$netbench" parse "$work/three.pcap" -c 0
refused 'too much for standard output' 2 'each want standard output' \
	"$netbench" parse "$work/three.pcap" --csv --json -
refused 'JSON that cannot be written' 2 'No space left' \
	"$netbench" parse "$work/three.pcap" --json /dev/full
head -c 24 "$work/three.pcap" >"$work/empty.pcap"
refused 'bench of nothing' 2 'there is no packet' "$netbench" parse "$work/empty.pcap" --bench
check 'a capture without packets' "$netbench" parse "$work/empty.pcap"
finish
