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
cp "$work/wrong.c" "$work/it's 1=2 \$(no).c"
says 'a file of an odd name' 1 'WRONG: returned destination +1' \
	copy verify odd --add "$work/it's 1=2 \$(no).c=odd" --quick --misaligned slow
again=$(sed -n 's/.*again: harness copy //p' "$work/out" | head -n 1)
says 'the command that is printed shows it again' 1 'WRONG: returned destination +1' \
	sh -c "'$bin/harness' copy $again"
says 'a crash is caught, and said where' 1 'crashed: Segmentation fault at address 0x10' \
	copy verify crash --add "$work/crash.c" --quick --here
says 'the others go on after a crash' 1 'byte                memcpy' \
	copy verify crash byte --add "$work/crash.c" --quick --here --function memcpy
if ! is_sanitized; then
	source_file short.c "void *memcpy(void *d, const void *s, size_t n) { n &= 0xffffffff; $loop return d; }"
	says 'a call of 33 bits, in earnest' 1 'WRONG: of 4294967336 bytes, some were not written' \
		copy verify short --add "$work/short.c" --here --function memcpy --size 4294967336
	says 'and where there is no memory for it, it is not taken for right' 2 'there is no memory for it' \
		sh -c "ulimit -v 4000000; '$bin/harness' copy verify short --add '$work/short.c' --here \
			--function memcpy --size 4294967336"
fi
source_file claim.c "size_t __asm_copy_to_user(void *d, const void *s, size_t n)
	{ return n == 100 ? 60 : 0; }"
says 'what was not written before a fault is said so' 1 'WRONG: byte 0 of 100 is' \
	copy verify claim --add "$work/claim.c" --function usercopy --size 100 --dst-fault 40 --here
source_file forks.c "#include <unistd.h>
	void *memcpy(void *d, const void *s, size_t n)
	{ static int done; if (!done++ && fork() == 0) for (;;) pause(); $loop return d; }"
says 'what a routine forks is ended with it' 0 'right in' sh -c "timeout 60 '$bin/harness' copy verify \
	forks --add '$work/forks.c' --here --quick | cat"
source_file prints.c "#include <unistd.h>
	void *memcpy(void *d, const void *s, size_t n) { if (write(1, \"!\", 1)) { } $loop return d; }"
copy verify prints --add "$work/prints.c" --here --quick --json - >"$work/prints.json" 2>"$work/err"
check 'what a routine prints is no result' "$bin/harness" validate "$work/prints.json"
says 'two user copies are two variants' 1 'two-from ' \
	copy verify two two-from --add "$work/two.c" --function usercopy --quick
check 'and each is tried' grep -q '^two-from  *usercopy .*WRONG' "$work/out"

says 'assembler: its message and the file' 2 'syntax.c' copy list --add "$work/syntax.c"
echo 'nonsense a0, a1' >"$work/nonsense.S"
says 'assembler: what it does not know' 2 'nonsense.S:1' copy list --add "$work/nonsense.S"
says 'no function in it: those that are looked for' 2 'it defines none of memcpy, memmove' \
	copy list --add "$work/other.c"
mkfifo "$work/pipe.so" "$work/pipe.c" "$work/pipe.o"
for kind in so o; do
	says "a pipe is none: .$kind" 2 'pipe' timeout 10 "$bin/harness" copy list --add "$work/pipe.$kind"
done
source_file half.c '#ifdef __riscv
#error not for this one
#endif
void *memcpy(void *d, const void *s, size_t n) { return d; }'
says 'C for one machine only: the error of the other is told' 0 'not for this one' \
	copy list half --add "$work/half.c"
cp "$work/right.c" "$work/-o.c"
says 'a name that looks like an option' 0 'o  ' sh -c "cd '$work' && '$bin/harness' copy list o --add=-o.c=o"
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
	says 'server: --add may come after --copy' 2 'Cannot assign' "$bin/netbench" serve --copy so \
		--add "$work/right.so=so" --port 1 --bind 192.0.2.1
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
"$bin/harness" copy verify right byte --add "$work/right.c" --quick 2>&1 | true
check 'nor when nobody reads what it says' test -z "$(ls "$TMPDIR")"
finish
