#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# make check-kernels: every kernel of the table of 2021, and one for each other variant that a kernel
# can have: built, booted, its own KUnit tests of memcpy and the user copy, and iperf3 in all four
# ways over the NIC of that table. Long: half an hour.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

harness=$bin/harness
cd "$bin/../../.." || exit 1
made=build/board
if ! qemu-system-riscv64 --version >/dev/null 2>&1; then
	echo '1..0 # SKIP no qemu-system-riscv64'
	exit 0
fi
columns='linux+usercopy-bytes c-words+usercopy-words asm-shift+usercopy-words linux+usercopy-shift
	linux-shift+usercopy-shift fast'
others='stock byte c-shift c-shift-unroll c-unroll interleave kloos+duff'
[ $# -eq 0 ] || { columns=$*; others=; }

# A folder of its own for what runs.
board=$work/board
mkdir -p "$board/log"
for each in kernel initramfs.cpio.gz key key.pub; do
	ln -s "$PWD/$made/$each" "$board/$each"
done
trap '"$harness" board stop --folder "$board" >/dev/null 2>&1; clean_up' EXIT

check 'the board is built' "$harness" board build
for kernel in $columns $others; do
	check "$kernel: builds" "$harness" board kernel "$kernel"
	if [ "$kernel" = stock ]; then
		check 'stock: its patch is empty' test ! -s "$made/kernel/stock/kernel.patch"
	else
		check "$kernel: its patch is one" git apply --stat "$made/kernel/$kernel/kernel.patch"
	fi
	check "$kernel: boots" "$harness" board boot --folder "$board" --kernel "$kernel" \
		--append 'kunit.enable=1 loglevel=7'
	release=$("$harness" board run --folder "$board" uname -r 2>"$work/err")
	check "$kernel: it is that one" test "${release%"-$kernel"}" != "$release"
	"$harness" board run --folder "$board" dmesg >"$work/dmesg" 2>&1
	for suite in memcpy usercopy; do
		if grep -qE "^(\[[ 0-9.]*\] )?ok [0-9]+ $suite" "$work/dmesg"; then
			ok "$kernel: KUnit: $suite"
		else
			not_ok "$kernel: KUnit: $suite" \
				"$(grep -E "not ok|# $suite|$suite" "$work/dmesg" | tail -n 20)"
		fi
	done
	check "$kernel: stops" "$harness" board stop --folder "$board"
done
# Twice, since QEMU's tulip falls silent now and then, whatever the kernel; such a cell is shown.
for kernel in $columns; do
	rm -f "$work/net.json"
	"$harness" net configs/qemu-2021.ini --columns "kernel:$kernel" --runs 2 --seconds 1 \
		--out "$work/net-$kernel" --json "$work/net.json" >"$work/net" 2>&1 ||
		jq -r '.rows[] | .test as $test | .failed[]? | "# \($test): \(.message)"' "$work/net.json"
	for test in tcp-recv tcp-send udp-send udp-recv; do
		if jq -e --arg test "$test" '.rows[] | select(.test == $test).cells[0] | length > 0' \
			"$work/net.json" >/dev/null 2>&1; then
			ok "$kernel: iperf3 $test"
		else
			not_ok "$kernel: iperf3 $test" "$(tail -n 20 "$work/net")"
		fi
	done
done
finish
