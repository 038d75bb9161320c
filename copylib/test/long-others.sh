#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The tests that other projects have for memcpy, memmove and memset, newlib's and glibc's, run against
# each variant that runs here, by libcopylib-preload.so. Their sources are in the packages
# newlib-source and glibc-source. (Of glibc, string/tester.c: its test-memcpy.c and the like take most
# of a minute each.)
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

case $bin in
*-address/bin | *-thread/bin)
	echo '1..0 # SKIP a sanitizer has functions of its own in their place'
	exit 0
	;;
esac
preload=$bin/../lib/libcopylib-preload.so
flags='-w -O1 -fno-builtin -U_FORTIFY_SOURCE'

# unpack ARCHIVE PATTERN...: into $work/source; false if there is no such archive.
unpack()
{
	archive=$1
	shift
	[ -e "$archive" ] || return 1
	rm -rf "$work/source"
	mkdir "$work/source"
	tar -xf "$archive" -C "$work/source" --strip-components=1 --wildcards "$@"
}

# build NAME FILE FLAGS...: a test program, if there is the file.
build()
{
	name=$1 file=$2
	shift 2
	[ -e "$file" ] || return 0
	# shellcheck disable=SC2086 # words
	if gcc $flags "$@" -o "$work/tests/$name" "$file" >"$work/err" 2>&1; then
		ok "$name: builds"
	else
		not_ok "$name: builds" "$(head -n 20 "$work/err")"
	fi
}

# What glibc's tester takes from its build: words about warnings.
glibc_shims()
{
	mkdir "$work/shim"
	for macro in DIAG_PUSH_NEEDS_COMMENT DIAG_POP_NEEDS_COMMENT 'DIAG_IGNORE_NEEDS_COMMENT(v, o)' \
		'DIAG_IGNORE_Os_NEEDS_COMMENT(v, o)' 'DIAG_IGNORE_O_LEVEL_NEEDS_COMMENT(v, l, o)'; do
		echo "#define $macro"
	done >"$work/shim/libc-diag.h"
}

mkdir "$work/tests"
if unpack "$(find /usr/src/newlib -name 'newlib-*.tar.xz' 2>/dev/null | head -n 1)" \
	'*/newlib/testsuite/newlib.string/*.c' '*/newlib/testsuite/include/*'; then
	for file in "$work"/source/newlib/testsuite/newlib.string/*.c; do
		case $file in
		*/mem*.c | */tstring.c)
			build "newlib-$(basename "$file" .c)" "$file" \
				-I"$work/source/newlib/testsuite/include"
			;;
		esac
	done
else
	skip "newlib's tests" 'the package newlib-source is not installed'
fi
if unpack "$(find /usr/src/glibc -name 'glibc-*.tar.xz' 2>/dev/null | head -n 1)" \
	'*/string/tester.c'; then
	glibc_shims
	build glibc-tester "$work/source/string/tester.c" -D_GNU_SOURCE -I"$work/shim"
else
	skip "glibc's tests" 'the package glibc-source is not installed'
fi

programs=$(find "$work/tests" -type f | sort)
[ -n "$programs" ] || finish

# with VARIANT PROGRAM: true if the program is content.
with()
{
	COPYLIB=$1 LD_PRELOAD=$preload timeout 120 "$2" >"$work/out" 2>&1
}

for variant in $("$bin/harness" copy list | awk '/^variant/ { next } /^$/ { exit }
	/ here/ && / mem/ { print $1 }'); do
	for program in $programs; do
		check "$variant: $(basename "$program")" with "$variant" "$program"
	done
done

# They run ours, and they can fail.
for program in $programs; do
	rm -f "$work/stats"
	COPYLIB=byte COPYLIB_STATS=$work/stats LD_PRELOAD=$preload "$program" >"$work/out" 2>&1
	check "$(basename "$program"): calls ours" grep -q '^mem' "$work/stats"
done
cat >"$work/wrong.c" <<'END'
#include <stddef.h>
static void *wrong(char *to, const char *from, size_t n)
{
	size_t left = n == 13 || n == 14 || n == 15 ? n - 1 : n;

	if (to > from)
		while (left--)
			to[left] = from[left];
	else
		for (size_t i = 0; i < left; i++)
			to[i] = from[i];
	return to;
}
void *memcpy(void *to, const void *from, size_t n) { return wrong(to, from, n); }
void *memmove(void *to, const void *from, size_t n) { return wrong(to, from, n); }
END
gcc -O1 -fno-builtin -shared -fPIC -o "$work/wrong.so" "$work/wrong.c"
failed=0
for program in $programs; do
	LD_PRELOAD=$work/wrong.so timeout 120 "$program" >"$work/out" 2>&1 || failed=$((failed + 1))
done
check "a copy that drops a byte fails some of them ($failed)" test "$failed" -gt 0
finish
