#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# A server that has few descriptors: a client that needs more of them is told so at once, in its own
# words, and the next one is served.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

# told_at_once NAME FLAGS: the client ends in time, with the error that the server sent it. Its exit
# status is 1, but that of 3.12 is 0.
told_at_once()
{
	name="$engine: $1"
	status=0
	# shellcheck disable=SC2086 # flags are words
	timeout 8 iperf3 -c 127.0.0.1 -J $2 >"$work/client.json" 2>&1 || status=$?
	if [ "$status" -le 1 ] && jq -e '.error | test("Too many open files")' "$work/client.json" \
		>"$work/out" 2>&1; then
		ok "$name"
	elif [ "$status" -eq 139 ]; then
		# 3.16 crashes by itself when it hears of an error while it opens streams.
		skip "$name" "this client crashed; what it should have been told: $(tail -n 1 "$work/$engine.err")"
	else
		not_ok "$name" "iperf3 $2: exit status $status" "$(head -c 600 "$work/client.json")" \
			"$(tail -n 5 "$work/$engine.out" "$work/$engine.err")"
	fi
}

for engine in uring threads; do
	# shellcheck disable=SC2016 # the inner shell's arguments
	start "$engine" sh -c 'ulimit -n 24; exec "$0" serve --engine "$1" --workers 1' \
		"$bin/netbench" "$engine"
	if ! wait_for 5 grep -q '^netbench: listening' "$work/$engine.out"; then
		skip "$engine" "$(head -n 1 "$work/$engine.err")"
		continue
	fi
	told_at_once 'TCP: more streams than descriptors' '-P 30 -t 1'
	check "$engine: the next client is served" timeout 8 iperf3 -c 127.0.0.1 -n 1M
	told_at_once 'UDP: more streams than descriptors' '-u -b 1M -P 30 -t 1'
	check "$engine: and the next one again" timeout 8 iperf3 -c 127.0.0.1 -u -b 8M -n 100K
	check "$engine: says what to do" grep -q 'ulimit -n' "$work/$engine.out" "$work/$engine.err"
	check "$engine: ends when asked to" stop "$pid"
done
finish
