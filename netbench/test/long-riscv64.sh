#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The riscv64 build under qemu user mode: every routine verified on a CPU that has plain rv64gc
# only, on one with more, and with vector registers of three lengths; added ones with the exception
# tables of a kernel; and the server with a stock client. There is no io_uring in there, so it has to
# say so and go on without.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

top=$(cd "$bin/../../.." && pwd)
cd "$top" || exit 1
sysroot=build/board/tree
if ! command -v riscv64-linux-gnu-gcc >/dev/null || ! command -v qemu-riscv64 >/dev/null; then
	skip 'riscv64' 'no riscv64-linux-gnu-gcc or no qemu-riscv64'
	finish
fi
if [ ! -d "$sysroot" ]; then
	skip 'riscv64' "no $sysroot: make sysroot, which needs the network"
	finish
fi

on_riscv64()
{
	qemu-riscv64 -cpu sifive-u54 -L "$sysroot" "$@"
}

# verifies CPU: what it printed is in $work/verify.
verifies()
{
	qemu-riscv64 -cpu "$1" -L "$sysroot" build/riscv64/bin/harness copy verify --here --quick \
		>"$work/verify"
}

check 'builds' make -s -j2 CROSS=riscv64 all tests
for cpu in sifive-u54 rva22s64 max,vlen=128 max,vlen=256 max,vlen=512; do
	if ! qemu-riscv64 -cpu help | grep -qw "${cpu%%,*}"; then
		skip "$cpu" 'this qemu-riscv64 does not know it'
		continue
	fi
	check "$cpu: copylib-registry" qemu-riscv64 -cpu "$cpu" -L "$sysroot" \
		build/riscv64/test/copylib-registry
	check "$cpu: every routine that runs there is right" verifies "$cpu"
	case $cpu in
	max*) check "$cpu: with V" grep -q '^rvv-m4  *memcpy .* right in' "$work/verify" ;;
	*) check "$cpu: without V" grep -q '^rvv-m4  *was not tried: needs the V' "$work/verify" ;;
	esac
done
for program in copylib-memcpy copylib-memmove copylib-memset copylib-usercopy harness-native \
	netbench-wire netbench-parameters netbench-results netbench-packet netbench-capture \
	harness-statistics harness-configuration; do
	check "$program" on_riscv64 "build/riscv64/test/$program"
done

# A kernel's two kinds of exception tables, in shared objects.
user_copy()
{
	printf '#include <linux/linkage.h>\n#include <asm/asm.h>\n%s\n' "$1"
	cat <<-'end'
	.macro may_fault instruction:vararg
	100: \instruction
	entry
	.endm
	ENTRY(__asm_copy_to_user)
		add	a3, a0, a2
	1:	beq	a0, a3, 9f
		may_fault lb a4, 0(a1)
		may_fault sb a4, 0(a0)
		addi	a0, a0, 1
		addi	a1, a1, 1
		j	1b
	9:	sub	a0, a3, a0
		ret
	END(__asm_copy_to_user)
	end
}
user_copy '#include <asm/asm-extable.h>
	.macro entry
	_asm_extable 100b, 9f
	.endm' >"$work/relative.S"
user_copy '	.macro entry
	.pushsection __ex_table, "a"
	.balign 8
	RISCV_PTR 100b, 9f
	.popsection
	.endm' >"$work/absolute.S"
for kind in relative absolute; do
	check "$kind exception table: builds" riscv64-linux-gnu-gcc -Icopylib/kernel -shared -nostdlib \
		-Wl,-z,notext -o "$work/$kind.so" "$work/$kind.S"
	check "$kind exception table: faults are fixed up" on_riscv64 build/riscv64/bin/harness copy \
		verify "$kind" --add "$work/$kind.so" --here --quick
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
