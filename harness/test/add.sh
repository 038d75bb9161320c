#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# --add: a user's own routine, from every kind of file, in harness copy, in the server and as a
# column of harness net; and what is said about files that are none.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"
TMPDIR=$work/made
mkdir "$TMPDIR"
export TMPDIR

copy()
{
	"$bin/harness" copy "$@"
}

# says NAME STATUS TEXT COMMAND...: the command ends so and prints a line that has TEXT.
says()
{
	name=$1 wanted=$2 text=$3
	shift 3
	status=0
	"$@" >"$work/out" 2>&1 || status=$?
	if [ "$status" -eq "$wanted" ] && grep -qF -- "$text" "$work/out"; then
		ok "$name"
	else
		not_ok "$name" "status $status, not $wanted; or not there: $text" "$(head -n 20 "$work/out")"
	fi
}

# source NAME TEXT: a file of C with size_t.
source_file()
{
	printf '#include <stddef.h>\n%s\n' "$2" >"$work/$1"
}

loop='char *to = d; const char *from = s; for (size_t i = 0; i < n; i++) to[i] = from[i];'
source_file right.c "void *memcpy(void *d, const void *s, size_t n) { $loop return d; }"
source_file wrong.c "void *memcpy(void *d, const void *s, size_t n) { $loop return (char *)d + (n == 9); }"
source_file crash.c "void *memcpy(void *d, const void *s, size_t n)
	{ if (n == 70) return *(void *volatile *)16; $loop return d; }"
source_file other.c 'int strange(void) { return 1; }'
source_file syntax.c 'void *memcpy(void *d) { return d'
source_file two.c "void *__memcpy(void *d, const void *s, size_t n) { $loop return d; }
	size_t __asm_copy_to_user(void *d, const void *s, size_t n) { $loop return 0; }
	size_t __asm_copy_from_user(void *d, const void *s, size_t n) { $loop return n > 5; }"

says 'C: right' 0 'right               memcpy' copy verify right --add "$work/right.c" --quick
check 'C: in the judge, where there is a compiler for riscv64' sh -c "
	! command -v riscv64-linux-gnu-gcc >/dev/null || grep -q 'the judge right in' '$work/out'"
says 'C: in the list, with its file' 0 'right ' copy list right --add "$work/right.c"
says 'C: counted' 0 'instructions a call' copy count right --add "$work/right.c" --sizes 64
says 'a name of its own' 0 'mine  ' copy verify mine --add "$work/right.c=mine" --quick
says 'what is wrong is found' 1 'WRONG: returned destination +1' \
	copy verify wrong --add "$work/wrong.c" --quick
again=$(sed -n 's/.*again: harness copy //p' "$work/out" | head -n 1)
# shellcheck disable=SC2086 # the words of a command
says 'the command that is printed shows it again' 1 'WRONG: returned destination +1' copy $again
says 'a crash is caught, and said where' 1 'crashed: Segmentation fault at address 0x10' \
	copy verify crash --add "$work/crash.c" --quick --here
says 'the others go on after a crash' 1 'byte                memcpy' \
	copy verify crash byte --add "$work/crash.c" --quick --here --function memcpy
says 'two user copies are two variants' 1 'two-from ' \
	copy verify two two-from --add "$work/two.c" --function usercopy --quick
check 'and each is tried' grep -q '^two-from  *usercopy .*WRONG' "$work/out"

says 'assembler: its message and the file' 2 'syntax.c' copy list --add "$work/syntax.c"
echo 'nonsense a0, a1' >"$work/nonsense.S"
says 'assembler: what it does not know' 2 'nonsense.S:1' copy list --add "$work/nonsense.S"
says 'no function in it: those that are looked for' 2 'it defines none of memcpy, memmove' \
	copy list --add "$work/other.c"
says 'no such file' 2 'No such file' copy list --add "$work/none.c"
says 'another ending' 2 'must end in .S' copy list --add "$work/tap.txt"
says 'a name that is taken' 2 'there is a variant byte already' copy list --add "$work/right.c=byte"
says 'a name that is none' 2 'is no name for a variant' copy list --add "$work/right.c=a b"
cp "$work/right.c" "$work/text.so"
says 'a shared object that is none' 2 'no ELF file' copy list --add "$work/text.so"
: >"$work/empty.so"
says 'an empty one' 2 'no ELF file' copy list --add "$work/empty.so"
mkdir "$work/folder.so"
says 'a folder' 2 'directory' copy list --add "$work/folder.so"

if gcc -shared -fPIC -O1 -fno-builtin -o "$work/right.so" "$work/right.c" 2>"$work/err" &&
	gcc -shared -fPIC -O1 -fno-builtin -o "$work/other.so" "$work/other.c"; then
	says 'shared object: right' 0 'right in' copy verify so --add "$work/right.so=so" --quick
	says 'shared object: what is missing' 2 'it defines none of' copy list --add "$work/other.so"
	head -c 9000 "$work/right.so" >"$work/short.so"
	says 'shared object: cut short' 2 'it is cut short' copy list --add "$work/short.so"
	gcc -c -fPIC -O1 -fno-builtin -o "$work/right.o" "$work/right.c"
	says 'object: right' 0 'right in' copy verify o --add "$work/right.o=o" --quick
	says 'server: a variant that is no shared object' 2 'it is no shared object' \
		"$bin/netbench" serve --add "$work/right.o"
	says 'server: no such file' 2 'No such file' "$bin/netbench" serve --add "$work/none.so"
else
	skip 'shared objects' 'no gcc'
fi
riscv='riscv64-linux-gnu-gcc -fPIC -O1 -fno-builtin -nostdlib'
if $riscv -shared -o "$work/riscv.so" "$work/right.c" 2>"$work/err" &&
	$riscv -c -o "$work/riscv.o" "$work/right.c"; then
	says 'shared object for riscv64: judged' 0 'the judge right in' \
		copy verify rv --add "$work/riscv.so=rv" --quick --judge
	says 'object for riscv64: judged' 0 'the judge right in' \
		copy verify rv --add "$work/riscv.o=rv" --quick --judge
else
	skip 'files for riscv64' 'no compiler for it'
fi

says 'column: a wrong one is not measured' 1 'its memcpy is wrong, so it is not measured' \
	"$bin/harness" net --quick --columns libc,wrong --tests tcp-recv --add "$work/wrong.c" \
	--out "$work/net"
if command -v iperf3 >/dev/null && [ "$(id -u)" = 0 ]; then
	says 'column: a right one is' 0 'a column added from' "$bin/harness" net --quick --runs 1 \
		--columns libc,right --tests tcp-recv --add "$work/right.c" --out "$work/net"
	check 'column: with figures' jq -e '.columns[1].copy == "right" and
		(.rows[0].cells[1] | length) == 1' "$work/net/run.json"
fi
start interrupted "$bin/harness" copy verify right byte --add "$work/right.c"
wait_for 20 sh -c "ls '$TMPDIR' | grep -q netbench-add"
kill -INT "$pid"
status=0
wait "$pid" || status=$?
check '^C ends it with status 1 or 2' test "$status" -eq 1 -o "$status" -eq 2
check 'nothing is left on disk' test -z "$(ls "$TMPDIR")"
finish
