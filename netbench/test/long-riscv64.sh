#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The riscv64 build under qemu user mode: the routines on a CPU that has plain rv64gc only, on one
# with more, and with vector registers of three lengths; and the server with a stock client. There is no io_uring in there, so it has to say so and go on without.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

top=$(cd "$bin/../../.." && pwd)
cd "$top" || exit 1
sysroot=build/sysroot-riscv64
if ! command -v riscv64-linux-gnu-gcc >/dev/null || ! command -v qemu-riscv64 >/dev/null; then
	skip 'riscv64' 'no riscv64-linux-gnu-gcc or no qemu-riscv64'
	finish
fi
if [ ! -d "$sysroot" ]; then
	skip 'riscv64' "no $sysroot: make sysroot CROSS=riscv64, which needs the network"
	finish
fi

on_riscv64()
{
	qemu-riscv64 -cpu sifive-u54 -L "$sysroot" "$@"
}

check 'builds' make -s -j2 CROSS=riscv64 all tests
for cpu in sifive-u54 rva22s64 max,vlen=128 max,vlen=256 max,vlen=512; do
	if ! qemu-riscv64 -cpu help | grep -qw "${cpu%%,*}"; then
		skip "$cpu" 'this qemu-riscv64 does not know it'
		continue
	fi
	for program in registry memcpy memmove memset usercopy; do
		check "$cpu: copylib-$program" qemu-riscv64 -cpu "$cpu" -L "$sysroot" \
			"build/riscv64/test/copylib-$program"
	done
done
for program in netbench-wire \
	netbench-parameters netbench-results harness-statistics harness-configuration; do
	check "$program" on_riscv64 "build/riscv64/test/$program"
done

start serve qemu-riscv64 -cpu sifive-u54 -L "$sysroot" build/riscv64/bin/netbench serve
check 'serves' wait_for 20 grep -q '^netbench: listening.*threads' "$work/serve.out"
check 'says that there is no io_uring' grep -q 'io_uring' "$work/serve.out" "$work/serve.err"
check 'TCP' iperf3 -c 127.0.0.1 -n 20M
check 'TCP -R' iperf3 -c 127.0.0.1 -n 20M -R
check 'UDP' iperf3 -c 127.0.0.1 -u -l 1448 -b 8M -t 1
check 'UDP -R' iperf3 -c 127.0.0.1 -u -l 1448 -b 8M -t 1 -R
check 'ends cleanly when asked to' stop "$pid"

refused 'an emulator times nothing' 2 'emulated' \
	on_riscv64 build/riscv64/bin/harness net "$top/configs/local.ini" --quick --out "$work/run"
finish
