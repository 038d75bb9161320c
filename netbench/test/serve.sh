#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The stock client against netbench serve, on each engine: every flag that the server has to honour,
# with the client's exit status, both ends' byte counts and the JSON of both asserted.
# shellcheck disable=SC2016 # $c and $s are jq's
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

# What every result has to say, whatever the test: no error, every byte copied, and each end as many
# bytes as the other. A receiver may be short of what was still on its way when the client ended the
# test: on loopback no more than the socket buffers of a stream hold; and the client does not count the block that
# the end cut short. Omitted seconds begin and end at the two ends apart, so there nothing is compared;
# and what is sent just after them may have been copied before, as much as goes out with one send.
buffered=$(awk '{bytes += $3} END {print bytes}' /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/ipv4/tcp_wmem)
agree='
	($s.error == null) and ($c.error == null) and ($s.bytes > 0) and
	($s.copied_bytes > 0.99 * $s.bytes - (if $s.omit_s > 0 then $s.streams * 524288 else 0 end)) and
	($s.omit_s > 0 or (
		($s.received_bytes <= $s.peer_sent_bytes + $s.streams * $s.block_bytes) and
		($s.peer_received_bytes <= $s.sent_bytes))) and
	($s.omit_s > 0 or $s.protocol == "udp" or (
		($s.peer_sent_bytes - $s.received_bytes <= $buffered * $s.streams) and
		($s.sent_bytes - $s.peer_received_bytes <= $buffered * $s.streams)))'

# transfer NAME "CLIENT FLAGS" JQ: runs one test and asserts JQ over $c, the client's JSON, and $s,
# the line that the server wrote about it.
transfer()
{
	name="$engine: $1" flags=$2 expression=$3
	lines=$(wc -l <"$work/$engine.json")
	status=0
	# shellcheck disable=SC2086 # flags are words
	timeout 30 iperf3 -c 127.0.0.1 -J $flags >"$work/client.json" 2>"$work/err" || status=$?
	if [ "$status" -ne 0 ]; then
		not_ok "$name" "iperf3 $flags: exit status $status" "$(jq -r .error "$work/client.json")" \
			"$(tail -n 5 "$work/$engine.err")"
		return
	fi
	if ! wait_for 5 has_lines "$((lines + 1))"; then
		not_ok "$name" "iperf3 $flags: the server wrote no result" "$(cat "$work/$engine.err")"
		return
	fi
	tail -n 1 "$work/$engine.json" >"$work/line.json"
	if jq -e -n --argjson buffered "$buffered" --slurpfile c "$work/client.json" \
		--slurpfile s "$work/line.json" \
		"\$c[0] as \$c | \$s[0] as \$s | ($expression) and ($agree)" >"$work/out" 2>&1; then
		ok "$name"
	else
		not_ok "$name" "iperf3 $flags: not so: $expression" "and $agree" "$(cat "$work/out")" \
			"server: $(cat "$work/line.json")" "client: $(jq -c .end "$work/client.json")"
	fi
}

has_lines()
{
	test "$(wc -l <"$work/$engine.json")" -ge "$1"
}

# A socket buffer for what comes while other tests keep the machine busy, where one may be had:
# datagrams have to be lost by the server to be lost.
window=$(cat /proc/sys/net/core/rmem_max 2>/dev/null)
udp="-u -l 1448 ${window:+-w $window}"

transfers()
{
	transfer 'TCP' '-t 1' '$s.protocol == "tcp" and $s.direction == "receive" and $s.streams == 1 and
		$c.end.sum_received.bytes == $s.received_bytes and $c.end.sum_sent.bytes == $s.peer_sent_bytes
		and $s.seconds > 0.9 and $s.seconds < 2'
	transfer 'TCP -R' '-R -t 1' '$s.direction == "send" and $s.received_bytes == 0 and
		$c.end.sum_sent.bytes == $s.sent_bytes and $c.end.sum_received.bytes == $s.peer_received_bytes
		and $c.end.sum_sent.retransmits >= 0'
	transfer 'TCP --bidir' '--bidir -t 1' '$s.direction == "both" and $s.received_bytes > 0 and
		$s.sent_bytes > 0 and $c.end.sum_received.bytes == $s.received_bytes and
		$c.end.sum_received_bidir_reverse.bytes == $s.peer_received_bytes'
	transfer 'TCP -P 4' '-P 4 -n 40M' '$s.streams == 4 and ($c.end.streams | length) == 4 and
		($c.end.streams | all(.receiver.bytes > 0))'
	transfer 'TCP -P 4 -R' '-P 4 -R -t 1' '($c.end.streams | length) == 4 and
		($c.end.streams | all(.receiver.bytes > 0))'
	transfer 'TCP -P 2 --bidir' '-P 2 --bidir -t 1' '($c.end.streams | length) == 4 and
		([$c.end.streams[] | select(.sender.sender)] | length) == 2'
	transfer 'TCP -n: all bytes come' '-n 20M' '$s.peer_sent_bytes >= 20971520 and
		$s.received_bytes == $s.peer_sent_bytes'
	transfer 'TCP -k: all blocks come' '-k 50 -l 10000' '$s.received_bytes == $s.peer_sent_bytes and
		$s.peer_sent_bytes >= 500000 and $s.block_bytes == 10000'
	transfer 'TCP -n -R: no more than asked for' '-n 20M -R' '$s.sent_bytes == 20971520 and
		$s.peer_received_bytes == 20971520'
	transfer 'TCP -n -R, no whole number of blocks' '-n 1000001 -l 10000 -R' '
		$s.sent_bytes == 1010000'
	transfer 'TCP -k -R' '-k 7 -l 1000 -R' '$s.sent_bytes == 7000'
	transfer 'TCP -n -P 3 -R: all streams together' '-n 20M -P 3 -R' '
		$s.sent_bytes == 20971520'
	transfer 'TCP -n -b -R' '-n 1M -b 80M -R' '$s.sent_bytes == 1048576'
	transfer 'TCP -n --bidir' '-n 20M --bidir' '$s.sent_bytes <= 20971520'
	transfer 'UDP -n -R' "$udp -b 0 -n 1M -R" '$c.end.sum_received.bytes >= 1048576'
	transfer 'TCP -b' '-b 80M -t 1' '$s.bits_per_second > 60e6 and $s.bits_per_second < 100e6'
	transfer 'TCP -b -R: the server keeps the rate' '-b 80M -t 1 -R' '
		$c.end.sum_received.bits_per_second > 60e6 and $c.end.sum_received.bits_per_second < 100e6'
	transfer 'TCP -b with a burst, -R' '-b 80M/10 -l 10K -t 1 -R' '
		$c.end.sum_received.bits_per_second > 60e6 and $c.end.sum_received.bits_per_second < 100e6'
	transfer 'TCP --fq-rate -R' '--fq-rate 80M -l 16K -t 1 -R' '
		$c.end.sum_received.bits_per_second < 120e6'
	transfer 'TCP -O: the omitted second is not counted' '-O 1 -t 1' '$s.omit_s == 1 and
		$s.seconds > 0.9 and $s.seconds < 1.5 and $c.end.sum_received.seconds < 1.5 and
		$c.end.sum_received.bytes == $s.received_bytes'
	transfer 'TCP -O -R' '-O 1 -t 1 -R' '$s.omit_s == 1 and $s.seconds < 1.5 and
		$c.end.sum_sent.bytes == $s.sent_bytes'
	transfer 'TCP -l 100' '-l 100 -n 100K' '$s.block_bytes == 100 and
		$s.received_bytes == $s.peer_sent_bytes'
	transfer 'TCP -l 1M -R' '-l 1M -n 20M -R' '$s.block_bytes == 1048576'
	transfer 'TCP -w: both ends have the window' '-w 64K -n 5M' '$c.start.rcvbuf_actual >= 65536 and
		$s.received_bytes == $s.peer_sent_bytes'
	transfer 'TCP -M' '-M 1000 -n 5M' '$s.received_bytes == $s.peer_sent_bytes'
	transfer 'TCP -N' '-N -n 5M' '$s.received_bytes == $s.peer_sent_bytes'
	transfer 'TCP -C: the server takes it too' '-C reno -n 5M -R' '
		$c.end.sender_tcp_congestion == "reno"'
	transfer 'TCP -S' '-S 0x10 -n 5M' '$s.received_bytes == $s.peer_sent_bytes'
	transfer 'TCP -Z' '-Z -n 5M' '$s.received_bytes == $s.peer_sent_bytes'
	transfer 'TCP --get-server-output' '--get-server-output -n 5M' '
		($c.server_output_text // "" | test("received"))'
	transfer 'TCP --repeating-payload' '--repeating-payload -n 5M' '
		$s.received_bytes == $s.peer_sent_bytes'

	# 16 Mbit/s are 1381 datagrams of 1448 bytes a second. From 3.16 on iperf3 cancels its sending
	# thread wherever that is: the last datagram may be sent and not yet counted in its bytes.
	transfer 'UDP: all datagrams come' "$udp -b 16M -t 1" '$s.protocol == "udp" and
		$s.direction == "receive" and $s.lost == 0 and $s.packets > 1000 and
		$s.received_bytes == 1448 * $s.packets and
		($s.received_bytes - $s.peer_sent_bytes | . == 0 or . == 1448) and
		$c.end.sum_received.bytes == $s.received_bytes and $c.end.sum_received.jitter_ms < 1000'
	transfer 'UDP, default length' '-u -b 16M -t 1' '$s.block_bytes == 32768 and $s.packets > 40'
	transfer 'UDP -n' "$udp -b 16M -n 1M" '$s.received_bytes >= 1048576 and $s.lost == 0'
	transfer 'UDP -R: all datagrams come' "$udp -b 16M -t 1 -R" '$c.end.sum.packets > 1000 and
		$c.end.sum.lost_packets == 0 and $c.end.sum_received.bits_per_second > 12e6 and
		$c.end.sum_received.bits_per_second < 20e6 and $c.end.sum.jitter_ms < 1000'
	# Without -b 0 it would be 1 Mbit/s; how much it is depends on what else the machine does.
	transfer 'UDP -b 0 -R: no limit' "$udp -b 0 -t 1 -R" '
		$c.end.sum_received.bits_per_second > 10e6'
	transfer 'UDP --bidir' "$udp --bidir -b 16M -t 1" '$s.received_bytes > 1000000 and
		$s.peer_received_bytes > 1000000 and $s.lost == 0 and $s.peer_lost == 0'
	transfer 'UDP -P 3' "$udp -P 3 -b 8M -t 1" '($c.end.streams | length) == 3 and
		($c.end.streams | all(.udp.packets > 500))'
	transfer 'UDP -P 3 -R' "$udp -P 3 -b 8M -t 1 -R" '($c.end.streams | length) == 3 and
		($c.end.streams | all(.udp.packets > 500))'
	transfer 'UDP --udp-counters-64bit' "$udp --udp-counters-64bit -b 16M -t 1" '
		$s.packets > 1000 and $s.lost == 0'
	transfer 'UDP --udp-counters-64bit -R' "$udp --udp-counters-64bit -b 16M -t 1 -R" '
		$c.end.sum.packets > 1000 and $c.end.sum.lost_packets == 0'
	transfer 'UDP -l 65507' "-u ${window:+-w $window} -l 65507 -b 50M -t 1" '
		$s.block_bytes == 65507 and $s.lost == 0'
	transfer 'UDP -O' "$udp -O 1 -t 1 -b 16M" '$s.seconds < 1.5 and $s.lost == 0 and
		$c.end.sum_received.packets > 0'
	transfer 'UDP -O -R' "$udp -O 1 -t 1 -b 16M -R" '$s.seconds < 1.5 and
		$c.end.sum.lost_packets == 0'
	if ! ip -6 -o addr show dev lo | grep -q ::1; then
		skip "$engine: IPv6" 'loopback has no IPv6 address here'
		return
	fi
	transfer 'TCP over IPv6' '-c ::1 -n 5M' '$s.received_bytes == $s.peer_sent_bytes and
		($s.client | startswith("[::1]"))'
	transfer 'UDP over IPv6' "-c ::1 $udp -b 16M -t 1" '$s.packets > 1000 and $s.lost == 0'
}

# The fields of the server's lines are those that results/README.md describes, in both directions of
# that: none is missing there, and none is there that never comes ("error" comes with an error alone).
documented()
{
	sed -n '/^## Lines of netbench/,/^## Noise/ s/^| \(`[^|]*\)|.*/\1/p' "$bin/../../../results/README.md" |
		grep -o '`[a-z_0-9]*`' | tr -d '`' | grep -vx error | sort -u
}

fields_are_documented()
{
	documented >"$work/documented"
	jq -r keys_unsorted[] "$work/$engine.json" | sort -u >"$work/emitted"
	diff "$work/documented" "$work/emitted"
}

for engine in uring threads; do
	if ! start_server "$engine" --engine "$engine"; then
		if grep -q 'io_uring' "$work/$engine.err"; then
			skip "$engine" "$(head -n 1 "$work/$engine.err")"
		else
			not_ok "$engine: starts" "$(cat "$work/$engine.err")"
		fi
		continue
	fi
	transfers
	check "$engine: the fields of its lines are documented" fields_are_documented
	check "$engine: ends cleanly when asked to" stop "$pid"
	check "$engine: has nothing to complain of" test ! -s "$work/$engine.err"
done
finish
