#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Many stock clients, one after the other and at once, and clients that die in the middle: all the
# others are served, and nothing is left behind: no descriptor, no thread, no memory.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

# A client takes a second, whatever it is asked for: long-clients.sh comes with a hundred.
in_turn=${CLIENTS_IN_TURN:-8}

# A stock client whose exit status counts; its output is kept in case it fails.
client()
{
	timeout 60 iperf3 -c 127.0.0.1 "$@"
}

descriptors()
{
	find "/proc/$server_pid/fd" -mindepth 1 | wc -l
}

threads()
{
	find "/proc/$server_pid/task" -mindepth 1 -maxdepth 1 | wc -l
}

resident_kb()
{
	awk '/^VmRSS/ {print $2}' "/proc/$server_pid/status"
}

# In turn TCP and UDP, in both directions.
one_after_the_other()
{
	served=0
	while [ "$served" -lt "$1" ]; do
		for flags in '-n 1M' '-n 1M -R' '-u -b 0 -l 1448 -n 144800' '-n 1M --bidir -P 2'; do
			# shellcheck disable=SC2086 # flags are words
			client $flags || return 1
			served=$((served + 1))
		done
	done
}

# at_once COUNT FLAGS...: waits for each and counts the good ones, so that none can be missed.
at_once()
{
	count=$1
	shift
	clients=
	for _ in $(seq "$count"); do
		client "$@" >>"$work/at_once" 2>&1 &
		clients="$clients $!"
	done
	good=0
	for each in $clients; do
		wait "$each" && good=$((good + 1))
	done
	[ "$good" -eq "$count" ] || { tail -n 5 "$work/at_once"; echo "$good of $count"; return 1; }
}

# One round of every kind of client.
round()
{
	check "$engine: $1 50 clients at once, four streams each" at_once 50 -P 4 -t 1
	check "$engine: $1 20 UDP clients at once, from one address" at_once 20 -u -b 10M -l 1448 -t 1
	check "$engine: $1 20 UDP clients at once that receive" at_once 20 -u -b 10M -l 1448 -t 1 -R
	check "$engine: $1 datagrams of the largest size" client -u -l 65507 -b 1G -n 20M
}

as_before()
{
	[ "$(descriptors)" -le "$descriptors_before" ] && [ "$(threads)" -le "$threads_before" ]
}

# Descriptors and threads are as many as before. Memory may have grown by a tenth and 1 MB since the
# first round, which left behind what is kept on purpose: less than a session would leave in each of
# a hundred. Sanitizers keep freed memory, and find leaks themselves when the server ends.
nothing_left()
{
	wait_for 15 as_before
	echo "descriptors: $descriptors_before before, $(descriptors) after"
	echo "threads: $threads_before before, $(threads) after"
	echo "resident: $resident_before_kb kB before, $(resident_kb) kB after"
	as_before || return 1
	is_sanitized || [ "$(resident_kb)" -le $((resident_before_kb * 11 / 10 + 1000)) ]
}

for engine in uring threads; do
	if ! start_server "$engine" --engine "$engine" --quiet; then
		if grep -q 'io_uring' "$work/$engine.err"; then
			skip "$engine" "$(head -n 1 "$work/$engine.err")"
		else
			not_ok "$engine: starts" "$(cat "$work/$engine.err")"
		fi
		continue
	fi
	server_pid=$pid
	descriptors_before=$(descriptors)
	threads_before=$(threads)
	round 'first'
	resident_before_kb=$(resident_kb)
	check "$engine: $in_turn clients one after the other" one_after_the_other "$in_turn"
	round 'again'
	check "$engine: nothing is left behind" nothing_left

	for flags in '-t 20' '-t 20 -R' '-t 20 -u -b 50M' '-t 20 -u -b 50M -R' '-t 20 -P 3 --bidir'; do
		# shellcheck disable=SC2086 # flags are words
		start dying iperf3 -c 127.0.0.1 $flags
		sleep 0.4
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
	done
	check "$engine: serves after clients died in the middle" client -n 1M
	check "$engine: nothing is left of clients that died" nothing_left
	check "$engine: ends cleanly when asked to" stop "$server_pid"
done
finish
