#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The virtual board itself: booted on CPUs with and without Zbb and V, commands and files through
# SSH, a second boot beside it refused, and its end; single calls counted in it, and the table, with
# the peer inside and outside. Needs what `harness board build` made.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

harness=$bin/harness
cd "$bin/../../.." || exit 1
made=build/board
if ! qemu-system-riscv64 --version >"$work/version" 2>&1; then
	echo '1..0 # SKIP no qemu-system-riscv64'
	exit 0
fi
major=$(sed -n 's/.*version \([0-9]*\).*/\1/p' "$work/version")
if [ "$major" -lt 9 ]; then
	echo "1..0 # SKIP QEMU $major is too old: 9 or later is needed"
	exit 0
fi
if [ ! -e $made/initramfs.cpio.gz ]; then
	echo "1..0 # SKIP no virtual board: harness board build, which needs the network"
	exit 0
fi

# A folder of its own for what runs, so that a board that somebody has booted is left alone.
board=$work/board
mkdir -p "$board/log"
for each in kernel initramfs.cpio.gz key key.pub; do
	ln -s "$PWD/$made/$each" "$board/$each"
done
stop_board()
{
	"$harness" board stop --folder "$board" >/dev/null 2>&1
}
trap 'stop_board; clean_up' EXIT

on_board()
{
	"$harness" board run --folder "$board" -- "$@"
}

# has NAME TEXT COMMAND...: what the command prints has this text.
has()
{
	name=$1 text=$2
	shift 2
	"$@" >"$work/out" 2>&1
	if grep -qF -- "$text" "$work/out"; then
		ok "$name"
	else
		not_ok "$name" "not there: $text" "$(tail -n 5 "$work/out")"
	fi
}

check 'boots' "$harness" board boot --folder "$board"
check 'netbench runs there' on_board netbench --version
check 'so does the harness' on_board harness --version
has 'Linux is there' riscv64 on_board uname -m
has 'words stay words' "a 'b  c'" on_board echo "a 'b  c'"
status=0
on_board 'exit 7' || status=$?
check 'the exit status is passed on' test "$status" -eq 7
check 'a file is fetched' "$harness" board run --folder "$board" --fetch "/etc/rc=$work/rc"
check 'as it is there' cmp "$work/rc" harness/board/init.sh
refused 'a file that is not there' 2 '/etc/none cannot be read' \
	"$harness" board run --folder "$board" --fetch "/etc/none=$work/none"
check 'of which nothing is left' test ! -e "$work/none" -a ! -e "$work/none.new"
refused 'a second one beside it' 2 'the board runs already' "$harness" board boot --folder "$board"
echo 'uname -m; exit 5' >"$work/input"
status=0
"$harness" board shell --folder "$board" <"$work/input" >"$work/out" 2>&1 || status=$?
check 'a shell' grep -q riscv64 "$work/out"
check 'its exit status' test "$status" -eq 5
pid=$(cat "$board/run/pid")
check 'stops' "$harness" board stop --folder "$board"
# shellcheck disable=SC2016 # expanded by the inner shell
check 'nothing of it is left' sh -c '! grep -q qemu "/proc/$1/cmdline" && test ! -e "$2"' sh \
	"$pid" "$board/run/pid"

for cpu in sifive-u54 rva23s64; do
	check "$cpu: boots" "$harness" board boot --folder "$board" --cpu "$cpu" --cores 1
	on_board harness copy verify fast fast-v usercopy-rvv rvv-m4 --here --quick >"$work/verify" 2>&1
	check "$cpu: every routine that runs there is right" grep -q '^fast  *memcpy .* right in' \
		"$work/verify"
	case $cpu in
	rva23*) check "$cpu: with V" grep -q '^rvv-m4  *memcpy .* right in' "$work/verify" ;;
	*) check "$cpu: without V" grep -q '^rvv-m4  *was not tried: needs the V' "$work/verify" ;;
	esac
	check "$cpu: stops" stop_board
done

# -- counts ---------------------------------------------------------------------------------------
"$harness" copy count linux linux-shift fast --sizes 0,7,64,1500 --system --json "$work/count.json" \
	>"$work/count" 2>&1
check 'single calls: QEMU and the judge count the same' \
	grep -qE '^([0-9]+) of \1 calls are the same in all four counts$' "$work/count"

# net NAME CONFIG: a quick table of two figures, each of a size that a kernel's path and a copy have.
net()
{
	"$harness" net "$2" --tests tcp-recv --columns iperf3,byte --runs 1 --seconds 1 \
		--out "$work/$1" >"$work/$1.out" 2>&1
	check "$1: every cell was measured" test $? -eq 0
	check "$1: a valid result" "$harness" validate "$work/$1/run.json"
	# shellcheck disable=SC2016 # jq's variables
	check "$1: byte costs more than the 5 instructions of its loop" jq -e \
		'[.rows[0].cells[][0]] as [$iperf3, $byte]
		 | $iperf3 > 0.5 and $iperf3 < 40 and $byte > 5 and $byte > $iperf3' "$work/$1/run.json"
}
sed -e "s|^folder = .*|folder = $made|" configs/qemu.ini >"$work/outside.ini"
sed -e '/^\[peer\]/,/^\[/s/^host = .*/host = qemu/' -e 's/^cores = .*/cores = 1/' \
	-e 's/^cpu = 1/cpu = 0/' "$work/outside.ini" >"$work/inside.ini"
net inside "$work/inside.ini"
if [ -w /dev/net/tun ] || [ "$(id -u)" -eq 0 ]; then
	net outside "$work/outside.ini"
else
	skip 'outside' '/dev/net/tun cannot be opened here'
fi

finish
