#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# libcopylib-preload.so: programs work the same with every variant, and its counts are those of the
# calls that a program made.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

preload=$bin/../lib/libcopylib-preload.so
case $bin in
*-address/bin | *-thread/bin)
	echo '1..0 # SKIP a sanitizer has to be the first library itself'
	exit 0
	;;
esac
own_network "$@"

with()
{
	variant=$1
	shift
	COPYLIB=$variant LD_PRELOAD=$preload "$@"
}

# Strings that are cut and put together: copies in many sizes and alignments.
# shellcheck disable=SC2016 # perl's variables
cut='my $s = join("", 0 .. 9999); my $t = "";
	for my $i (1 .. 20000) { $t .= substr($s, $i % 977, $i % 300); substr($t, $i, 3) = "ab" }
	print $t'
perl -e "$cut" >"$work/wanted"
variants=$("$bin/harness" copy list | awk '$NF == "yes" && /mem/ { print $1 }')
for variant in $variants; do
	if with "$variant" perl -e "$cut" 2>"$work/err" | cmp - "$work/wanted" >"$work/out" 2>&1; then
		ok "$variant: a program gives the same"
	else
		not_ok "$variant: a program gives the same" "$(cat "$work/out" "$work/err")"
	fi
done
refused 'unknown variant: those that there are' 2 'no such variant; there are: libc byte' \
	env COPYLIB=none-such LD_PRELOAD="$preload" true
refused 'a user copy alone' 2 'only a user copy' env COPYLIB=usercopy-bytes LD_PRELOAD="$preload" true
check 'without a name it is the C library' env LD_PRELOAD="$preload" perl -e "$cut"

check 'counts are kept' env COPYLIB=byte COPYLIB_STATS="$work/stats" LD_PRELOAD="$preload" \
	perl -e "$cut"
check 'with sizes, alignments and calls' sh -c "awk '
	/^#/ { next }
	NF != 6 || \$2 > \$3 || \$4 > 7 || \$5 > 7 || \$6 < 1 { bad = 1 }
	{ calls[\$1] += \$6 }
	\$4 != \$5 { apart++ }
	END { exit bad || calls[\"memcpy\"] < 1000 || calls[\"memmove\"] < 1000 ||
		calls[\"memset\"] < 1 || apart < 100 }' '$work/stats'"
check 'a file that cannot be written fails nothing' env COPYLIB_STATS=/nowhere/file \
	LD_PRELOAD="$preload" true
check 'but is told' sh -c "COPYLIB_STATS=/nowhere/file LD_PRELOAD='$preload' env true 2>&1 |
	grep -q 'COPYLIB_STATS=/nowhere/file: No such file'"

start iperf3 env COPYLIB=linux-shift LD_PRELOAD="$preload" iperf3 -s -p 5299
check 'stock iperf3 serves with it' wait_for 10 iperf3 -c 127.0.0.1 -p 5299 -n 1M
stop "$pid"
finish
