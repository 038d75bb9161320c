#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# make perf: every speed and memory figure that has an aim, aim and figure side by side. Each is a
# ratio within one run, since these machines are noisy: of two columns, run by run, as the cells of
# a run lie within seconds of each other; printed as the median and its quartiles. Writes
# results/perf-TIME/perf.json and exits 1 if an aim is missed. A later figure is a function and a
# call at the end. PERF_SEEDS (20) quick runs for the noise floor take most of the time.
# shellcheck disable=SC2016 # $name is jq's
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

top=$(cd "$bin/../../.." && pwd)
out=$top/results/perf-$(date -u +%Y%m%dT%H%M%SZ)
seeds=${PERF_SEEDS:-20}
mkdir -p "$out" || exit 2
: >"$work/rows"

# One figure: NAME, AIM as printed, COMPARISON of the median with LIMIT, then the samples, a line each,
# on standard input.
figure()
{
	row=$(jq -s -c --arg name "$1" --arg aim "$2" --arg how "$3" --argjson limit "$4" '
		sort as $s | ($s | length) as $n |
		def at($q): ($n - 1) * $q | $s[floor] + ($s[ceil] - $s[floor]) * (. - floor);
		{ key: $name, aim: $aim, low: at(0.25), median: at(0.5), high: at(0.75), samples: $s } |
		.met = (if $how == "at least" then .median >= $limit else .median <= $limit end)')
	echo "$row" >>"$work/rows"
	echo "$row" | jq -r '[.key, .aim, .median, .low, .high, (.samples | length),
		(if .met then "met" else "MISSED" end)] | @tsv' |
		awk -F '\t' '{ printf "%-51s %-8s %8.3f [%.3f-%.3f] n=%-3d %s\n", $1, $2, $3, $4, $5, $6, $7 }'
}

# ratios TEST ROW-FIELD A B: A over B, run by run, of the run in $work/net.json.
ratios()
{
	jq --arg test "$1" --arg field "$2" --arg a "$3" --arg b "$4" '
		([.columns[].id] | [index($a), index($b)]) as [$i, $j] |
		.rows[] | select(.test == $test)[$field] | [.[$i], .[$j]] | transpose[] |
		.[0] / .[1]' "$work/net.json"
}

# The difference of two columns, in points of percent.
differences()
{
	jq --arg test "$1" --arg a "$2" --arg b "$3" '
		([.columns[].id] | [index($a), index($b)]) as [$i, $j] |
		.rows[] | select(.test == $test).loss | [.[$i], .[$j]] | transpose[] |
		.[0] - .[1]' "$work/net.json"
}

measure()
{
	"$bin/harness" net "$top/configs/local.ini" --out "$work/net" --json - "$@" >"$work/net.json" \
		|| { echo "perf: harness net failed" >&2; exit 2; }
	rm -rf "$work/net"
}

throughput_against_stock()
{
	measure --columns 'iperf3, libc, byte' --runs "${PERF_RUNS:-15}" --seconds 1
	for test in tcp-recv tcp-send udp-send udp-recv; do
		ratios "$test" cells libc iperf3 |
			figure "$test: netbench with libc over stock iperf3" '>= 0.95' 'at least' 0.95
	done
	for test in udp-send udp-recv; do
		differences "$test" libc iperf3 |
			figure "$test: loss more than stock, % points" '<= 0' 'at most' 0
	done
	ratios tcp-recv cells byte libc |
		figure 'tcp-recv: byte over libc' '<= 0.9' 'at most' 0.9
}

# In how many of the quick runs libc and libc again differ beyond the noise, in any test.
noise_floor()
{
	seed=0
	while [ "$seed" -lt "$seeds" ]; do
		seed=$((seed + 1))
		"$bin/harness" net "$top/configs/local.ini" --quick --seed "$seed" --out "$work/quick" \
			>"$work/quick.txt" || { echo "perf: harness net --quick failed" >&2; exit 2; }
		rm -rf "$work/quick"
		if grep -q '^libc and libc again do not differ' "$work/quick.txt"; then
			echo 0
		else
			echo 1
		fi
	done >"$work/differ"
	awk '{ n += $1 } END { print n }' "$work/differ" |
		figure "quick runs of $seeds where libc differs from itself" '<= 1' 'at most' 1
}

# What a hundred clients with four streams each leave in the server: memory that is kept on purpose
# is there after the first hundred.
left_by_clients()
{
	start_server perf --bind 127.0.0.1 --port 0 --echo-port 0 --quiet || exit 2
	port=$(sed -n 's/.*listening on port \([0-9]*\).*/\1/p' "$work/perf.out")
	descriptors_before=$(find "/proc/$pid/fd" -mindepth 1 | wc -l)
	for turn in first second third fourth; do
		clients=
		for _ in $(seq 50); do
			iperf3 -c 127.0.0.1 -p "$port" -P 4 -t 1 >"$work/client" 2>&1 &
			clients="$clients $!"
		done
		for each in $clients; do
			wait "$each" || { echo "perf: a client failed" >&2; cat "$work/client" >&2; exit 2; }
		done
		awk '/^VmRSS/ { print $2 }' "/proc/$pid/status" >"$work/resident-$turn"
	done
	sleep 1
	echo $(($(find "/proc/$pid/fd" -mindepth 1 | wc -l) - descriptors_before)) |
		figure '100 clients: descriptors left' '0' 'at most' 0
	echo $((($(cat "$work/resident-fourth") - $(cat "$work/resident-second")) * 1024 / 100)) |
		figure '100 clients: memory left, bytes/client' '<= 1024' 'at most' 1024
	stop "$pid"
}

# Instructions a word of a long loop: the difference of two sizes. KEY is a row of harness copy count.
a_word()
{
	jq --arg key "$1" '[.rows[] | select(.key == $key) | .cells[0][0]] | (.[1] - .[0]) / 512' \
		"$work/count.json"
}

# Exact, so there is no spread.
instructions_of_fast()
{
	"$bin/harness" copy count fast --sizes 4096,8192 --json - >"$work/count.json" ||
		{ echo "perf: harness copy count failed" >&2; return; }
	for function in memcpy usercopy; do
		a_word "$function, both aligned" |
			figure "fast $function: instructions a word, co-aligned" '<= 2.2' 'at most' 2.2
		a_word "$function, destination aligned, source 1 past a word" |
			figure "fast $function: apart" '<= 5.5' 'at most' 5.5
		a_word "$function, destination aligned, source 4 past a word" |
			figure "fast $function: 4 apart" '<= 4.5' 'at most' 4.5
	done
	"$(dirname "$0")/harness-fast" >"$work/fast" 2>&1
	sed -n 's/^# 16..127 bytes: \([0-9.]*\) .*/\1/p' "$work/fast" |
		figure 'fast memcpy: times fewer than the best, co-aligned' '>= 1.6' 'at least' 1.6
	sed -n 's/^# 16..127 bytes: .* \([0-9.]*\) otherwise/\1/p' "$work/fast" |
		figure 'fast memcpy: times fewer than the best, apart' '>= 1.25' 'at least' 1.25
	for function in memcpy memmove memset usercopy; do
		sed -n "s/^# 16..4096 bytes, $function: more in \([0-9.]*\) .*/\1/p" "$work/fast" |
			figure "fast $function: % of cells with more than the best" '<= 1' 'at most' 1
		sed -n "s/^# 16..4096 bytes, $function: .*by up to \([0-9]*\)/\1/p" "$work/fast" |
			figure "fast $function: at most so many more" '<= 8' 'at most' 8
	done
}

echo "Linux $(uname -r), $(date -u +%Y-%m-%dT%H:%M:%SZ), $("$bin/netbench" --version)"
instructions_of_fast
throughput_against_stock
left_by_clients
[ "$seeds" -eq 0 ] || noise_floor
jq -s --arg kernel "$(uname -r)" --arg version "$("$bin/netbench" --version)" '
	{ kernel: $kernel, version: $version, figures: . }' "$work/rows" >"$out/perf.json"
missed=$(jq -s 'map(select(.met | not)) | length' "$work/rows")
echo "kept in ${out#"$top"/}/perf.json; $missed aims missed"
[ "$missed" -eq 0 ]
