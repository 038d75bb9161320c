# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=sh
#
# What the test scripts share: TAP output, a folder and a network of their own, and an end that
# leaves no process behind. A script begins with
#     . "$(dirname "$0")/harness-tap.sh"
#     own_network "$@"
# and ends with finish.

bin=$(cd "$(dirname "$0")/../bin" && pwd)
tests=0
failures=0
started=

ok()
{
	tests=$((tests + 1))
	echo "ok $tests - $1"
}

# not_ok NAME [WHY...]: each line of WHY becomes a comment, so that the reader sees what broke it.
not_ok()
{
	tests=$((tests + 1))
	failures=$((failures + 1))
	echo "not ok $tests - $1"
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/# /'
}

# skip NAME WHY
skip()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# check NAME COMMAND...: the command succeeds; what it printed is shown when it does not.
check()
{
	name=$1
	shift
	if "$@" >"$work/check" 2>&1; then
		ok "$name"
	else
		not_ok "$name" "failed with $?: $*" "$(tail -n 20 "$work/check")"
	fi
}

# refused NAME STATUS TEXT COMMAND...: it exits with that status, and says TEXT on its standard error.
refused()
{
	name=$1 wanted=$2 text=$3
	shift 3
	status=0
	"$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
	if [ "$status" -ne "$wanted" ]; then
		not_ok "$name" "exit status $status instead of $wanted: $*" "$(tail -n 5 "$work/err")"
	elif ! grep -qF -- "$text" "$work/err"; then
		not_ok "$name" "standard error lacks: $text" "it says: $(tail -n 5 "$work/err")"
	else
		ok "$name"
	fi
}

# Is this the build of a sanitizer? Time and memory say nothing there.
is_sanitized()
{
	case $bin in *-address/*|*-thread/*) true ;; *) false ;; esac
}

# Enters a network namespace of its own, where loopback is up and every port is free.
own_network()
{
	if [ -z "${OWN_NETWORK:-}" ]; then
		user=
		[ "$(id -u)" -eq 0 ] || user=--map-root-user
		# shellcheck disable=SC2086 # empty or one word
		if unshare $user --net true 2>/dev/null; then
			OWN_NETWORK=yes exec unshare $user --net -- "$0" "$@"
		fi
		echo "# no network namespace to be had: on the machine's own loopback"
	else
		ip link set lo up
		# Switched off on some machines; a namespace may decide for itself.
		for each in all default lo; do
			echo 0 >"/proc/sys/net/ipv6/conf/$each/disable_ipv6"
		done 2>/dev/null
	fi
}

# start NAME COMMAND...: in the background, output into $work/NAME.out and .err, pid into $pid.
start()
{
	log=$1
	shift
	"$@" >"$work/$log.out" 2>"$work/$log.err" </dev/null &
	pid=$!
	started="$started $pid"
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for()
{
	turns=$(($1 * 20))
	shift
	while ! "$@" >/dev/null 2>&1; do
		turns=$((turns - 1))
		[ "$turns" -gt 0 ] || return 1
		sleep 0.05
	done
}

# start_server NAME [OPTIONS...]: netbench serve, ready when this returns.
start_server()
{
	server=$1
	shift
	start "$server" "$bin/netbench" serve --json "$work/$server.json" "$@"
	wait_for 5 grep -q '^netbench: listening' "$work/$server.out" && return 0
	echo "# the server does not listen: $(cat "$work/$server.out" "$work/$server.err")"
	return 1
}

# stop PID: asks it to end; its exit status is this function's.
stop()
{
	kill "$1"
	wait "$1"
}

clean_up()
{
	for each in $started; do
		kill -KILL "$each" 2>/dev/null
	done
	rm -rf "$work"
}

finish()
{
	echo "1..$tests"
	[ "$failures" -eq 0 ] || exit 1
	exit 0
}

work=$(mktemp -d)
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
