#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# harness board without a board: what it says when something is missing, wrong or failing, by programs
# of our own in the place of mmdebstrap and QEMU; and that nothing half-built is taken for whole.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

harness=$bin/harness
board=$work/board
fake=$work/fake
mkdir "$fake"

# pretend NAME: a program of that name, its text on standard input.
pretend()
{
	{ echo '#!/bin/sh'; cat; } >"$fake/$1"
	chmod 755 "$fake/$1"
}

# told NAME STATUS TEXT COMMAND...: as refused, with the programs that we pretend.
told()
{
	name=$1 wanted=$2 text=$3
	shift 3
	refused "$name" "$wanted" "$text" env PATH="$fake:$PATH" "$@"
}

refused 'no job' 2 'usage: harness board JOB' "$harness" board
refused 'an unknown job' 2 'board flash: no such job' "$harness" board flash
refused 'an unknown part' 2 'harness: board build: disk: no such part' "$harness" board build disk
refused 'sources that are none' 2 "these are not netbench's sources" \
	"$harness" board build programs --folder "$board" --source /
refused 'boot: a core too many' 2 '--cores 9: a number from 1 to 8 is allowed' \
	"$harness" board boot --cores 9
refused 'boot: no number' 2 '--memory 1G: a number from 256 to 65536 is allowed' \
	"$harness" board boot --memory 1G
refused 'boot: a word too many' 2 'usage: harness board boot' "$harness" board boot now
refused 'run: nothing to run' 2 'which command?' "$harness" board run --folder "$board"
refused 'run: no board' 2 'the board does not run; start it by: harness board boot' \
	"$harness" board run --folder "$board" true
refused 'stop: no board' 2 'the board does not run' "$harness" board stop --folder "$board"
refused 'a folder that cannot be made' 2 '/proc/board: cannot be made' \
	"$harness" board build --folder /proc/board
for job in build boot shell run stop; do
	check "$job --help" "$harness" board "$job" --help
done

# -- the tree -----------------------------------------------------------------------------------
mkdir -p "$work/empty"
pretend mmdebstrap <<-'end'
	echo "E: Failed to fetch http://mirror.example/debian: Connection timed out" >&2
	exit 1
end
printf 'exit 0\n' | pretend sleep
told 'no network: the last lines of mmdebstrap' 2 'Connection timed out' \
	"$harness" board build tree --folder "$board"
told 'no network: what to do' 2 '--mirror URL takes another mirror' \
	"$harness" board build tree --folder "$board"
check 'no network: nothing is taken for a tree' test ! -e "$board/tree" -a ! -e "$board/tree.tar"

# A download that was cut off: an archive that ends in its middle.
pretend mmdebstrap <<-'end'
	for archive; do case $archive in *.tar) ;; *) continue ;; esac
		mkdir -p "$archive.d/usr/bin"
		echo program >"$archive.d/usr/bin/busybox"
		tar -cf "$archive.whole" -C "$archive.d" . && head -c 700 "$archive.whole" >"$archive"
	done
end
if command -v bsdtar >/dev/null; then
	told 'a cut archive: refused' 2 'unpacking it: bsdtar failed' \
		"$harness" board build tree --folder "$board"
	check 'a cut archive: nothing is taken for a tree' test ! -e "$board/tree"
	sed -i 's/head -c 700/cat/' "$fake/mmdebstrap"
	check 'a whole one after it' env PATH="$fake:$PATH" \
		"$harness" board build tree --folder "$board"
	check 'it is unpacked' test -e "$board/tree/usr/bin/busybox"
	pretend mmdebstrap <<-'end'
		exit 1
	end
	check 'what is made is not made again' env PATH="$fake:$PATH" \
		"$harness" board build tree --folder "$board"
	echo other >"$board/tree.made-from"
	told 'made from something else: made again' 2 'mmdebstrap failed' \
		"$harness" board build tree --folder "$board"
	check 'and the old one is kept until then' test -e "$board/tree/usr/bin/busybox"
else
	skip 'a cut archive' 'no bsdtar'
fi
rm -f "$fake/mmdebstrap"
told 'no mmdebstrap' 2 'apt-get install mmdebstrap' env PATH="$fake" \
	"$harness" board build tree --folder "$work/none"

# -- QEMU ---------------------------------------------------------------------------------------
mkdir -p "$board/kernel/debian" "$board/log"
told 'nothing is built' 2 'make it by: harness board build' \
	env PATH="$fake:$PATH" "$harness" board boot --folder "$board" --kernel debian
rm -f "$fake/qemu-system-riscv64"
told 'no QEMU' 2 'apt-get install qemu-system-riscv' env PATH="$fake" \
	"$harness" board boot --folder "$board"
pretend qemu-system-riscv64 <<-'end'
	echo 'QEMU emulator version 7.2.0 (Debian)'
end
told 'a QEMU that is too old' 2 'is version 7, too old: 9 or later is needed' \
	"$harness" board boot --folder "$board"

# A QEMU whose board does what the word in its -append says.
pretend qemu-system-riscv64 <<-'end'
	case $1 in --version) echo 'QEMU emulator version 10.0.0'; exit ;; esac
	while [ $# -gt 0 ]; do
		case $1 in
		-serial) console=${2#file:} ;;
		-kernel) image=$2 ;;
		-pidfile) pid_file=$2 ;;
		esac
		shift
	done
	echo 'OpenSBI' >"$console"
	case $image in
	*/refused/*) echo 'qemu-system-riscv64: no such device' >&2; exit 1 ;;
	*/hangs/*) echo 'the last thing that it did' >>"$console"; /bin/sleep 60 & echo $! >"$pid_file" ;;
	*/panics/*) echo '[ 0.1] Kernel panic - not syncing: No working init' >>"$console"; exit 0 ;;
	esac
end
: >"$board/initramfs.cpio.gz"
for kernel in refused panics hangs; do
	mkdir -p "$board/kernel/$kernel"
	: >"$board/kernel/$kernel/Image"
done
told 'a kernel that is not there' 2 'there is: hangs, panics, refused; make one by: harness board kernel none' \
	"$harness" board boot --folder "$board" --kernel none
told 'what QEMU refuses' 2 'no such device' \
	"$harness" board boot --folder "$board" --kernel refused
told 'a panic: the last lines of the console' 2 'Kernel panic - not syncing: No working init' \
	"$harness" board boot --folder "$board" --kernel panics

told 'a boot that hangs' 2 'the board hangs: it was not up within 1 s' \
	"$harness" board boot --folder "$board" --kernel hangs --limit 1
check 'with the last lines of the console' grep -q 'the last thing that it did' "$work/err"

# -- harness net --------------------------------------------------------------------------------
printf '[board]\nhost = qemu\n[qemu]\nnic = rtl8139\n' >"$work/nic.ini"
refused 'net: an unknown NIC' 2 'nic = rtl8139: there is none of that name; there is: virtio' \
	"$harness" net "$work/nic.ini"
printf '[board]\nhost = qemu\ncpu = 2\n' >"$work/cpu.ini"
refused 'net: a CPU that the board has not' 2 'the board has 2 of them' \
	"$harness" net "$work/cpu.ini"
printf '[board]\nhost = qemu\n[qemu]\nfolder = %s/none\n' "$work" >"$work/none.ini"
printf 'void *memcpy(void *to, const void *from, unsigned long n) { return to; }\n' >"$work/own.c"
refused 'net: a routine that the board cannot load' 2 "harness board kernel NAME --add $work/own.c" \
	"$harness" net "$work/none.ini" --add "$work/own.c"
refused 'net: nothing is built' 2 'harness board build' "$harness" net "$work/none.ini"
finish
