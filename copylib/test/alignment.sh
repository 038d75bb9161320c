#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs the tests of the copy routines with the variants instrumented, which no other build does:
# each load and store that is not aligned to its own size ends the test, and says where. On the
# machines these routines were written for, such an access costs hundreds of times an aligned one.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

case $bin in
*-address/bin | *-thread/bin)
	echo '1..0 # SKIP the variants are the same without sanitizers'
	exit 0
	;;
esac
[ -e copylib/variants.def ] || cd "$(dirname "$0")/../../.." || exit 2
unset MAKEFLAGS MAKELEVEL

build=$work/build
instrument='-fsanitize=undefined -fno-sanitize-recover=all'
export MISALIGNED_IS_SLOW=1 # leaves out the variants that make such accesses on purpose
programs="$build/test/copylib-memcpy $build/test/copylib-memmove $build/test/copylib-memset"
# shellcheck disable=SC2086 # a list of files
check 'builds' make BUILD="$build" LIBRARIES= NETBENCH_SOURCES= HARNESS_SOURCES= \
	VARIANT_FLAGS="-O1 -g -fPIC -fno-builtin $instrument" LDFLAGS="$instrument" $programs
for program in $programs; do
	check "$(basename "$program"): every access is aligned" "$program"
done
finish
