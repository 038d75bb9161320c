#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Looks at the object code of the portable variants, from each compiler that is here: what is
# measured must be the loops as they are written, so no compiler may have turned one into a call of
# memcpy, into vector code, or into several turns at once. CFLAGS=-O3 on the command line must not
# change that. A control file of the same loops, without the variants' flags, shows that the checks
# would see it.
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

cat >"$work/control.c" <<'END'
void *control(char *restrict dst, const char *restrict src, unsigned long n);
void *control(char *restrict dst, const char *restrict src, unsigned long n)
{
	char *d = dst;
	while (n--)
		*d++ = *src++;
	return dst;
}
void twice(int *numbers, unsigned long n);
void twice(int *numbers, unsigned long n)
{
	while (n--)
		numbers[n] += numbers[n];
}
END

# vector_code FILE...: the instructions that use vector registers.
vector_code()
{
	case $machine in
	x86_64) registers='%[xyz]mm[0-9]' ;;
	riscv64) registers='[ 	,(]v[0-9]+([,)]|$)|[ 	]vset' ;;
	esac
	"$objdump" -d --no-show-raw-insn "$@" | grep -E "file format|$registers" |
		grep -E -B1 "$registers" | grep -v '^--$'
}

# calls FILE...: what each needs that no variant defines.
calls()
{
	for each; do
		"$nm" -u "$each" | while read -r _ symbol; do
			grep -qx "$symbol" "$work/defined" || echo "$(basename "$each") needs $symbol"
		done
	done
}

# stores FUNCTION FILE: how many store instructions the function has.
stores()
{
	case $machine in
	x86_64) store='[ 	]mov[bq]?[ 	]+%[a-z0-9]+,[^%]*\(' ;;
	riscv64) store='[ 	]s[bd][ 	]' ;;
	esac
	"$objdump" -d --no-show-raw-insn "$2" | sed -n "/<$1>:/,/ <[a-z].*>:\$/p" |
		grep -cE "$store"
}

# one_store_a_loop FUNCTION FILE LOOPS
one_store_a_loop()
{
	found=$(stores "$1" "$2")
	if [ "$found" -eq "$3" ]; then
		ok "$compiler: no loop of $1 is unrolled"
	else
		not_ok "$compiler: no loop of $1 is unrolled" "$found stores for $3 loops"
	fi
}

# none NAME OUTPUT: the output is empty.
none()
{
	if [ -z "$2" ]; then
		ok "$1"
	else
		not_ok "$1" "$(echo "$2" | head -n 20)"
	fi
}

# some NAME OUTPUT: it is not.
some()
{
	if [ -n "$2" ]; then
		ok "$1"
	else
		not_ok "$1" 'the check sees nothing where there must be something'
	fi
}

# look_at COMPILER TOOLS [MAKE VARIABLES...]: TOOLS is the prefix of nm and objdump.
look_at()
{
	compiler=$1 nm=${2}nm objdump=${2}objdump
	shift 2
	if ! command -v "$compiler" >/dev/null; then
		skip "$compiler" 'not installed'
		return
	fi
	if ! echo '#include <string.h>' | "$compiler" -E - >/dev/null 2>&1; then
		skip "$compiler" 'it has no headers of the C library'
		return
	fi
	machine=$("$compiler" -dumpmachine)
	machine=${machine%%-*}
	case $machine in
	x86_64 | riscv64) ;;
	*)
		skip "$compiler" "what vector code looks like on $machine is not written down here"
		return
		;;
	esac

	build=$work/$compiler
	check "$compiler: builds with CFLAGS=-O3" make "$@" CFLAGS=-O3 BUILD="$build" LIBRARIES= \
		NETBENCH_SOURCES= HARNESS_SOURCES= "$build/libcopylib.a"
	[ -e "$build/libcopylib.a" ] || return
	"$nm" --defined-only "$build/libcopylib.a" | sed -n 's/.* T //p' >"$work/defined"
	variants=$(find "$build/copylib/portable" -name '*.o' ! -name libc.o | sort)
	# shellcheck disable=SC2086 # file names of this tree, without blanks
	{
		some "$compiler: there are variants to look at" "$variants"
		none "$compiler: no variant calls anything but a variant" "$(calls $variants)"
		none "$compiler: no variant uses vector registers" "$(vector_code $variants)"
	}
	one_store_a_loop byte_memcpy "$build/copylib/portable/byte.o" 1
	one_store_a_loop c_words_memcpy "$build/copylib/portable/c-words.o" 2

	vector=
	[ "$machine" = x86_64 ] || vector=-march=rv64gcv
	check "$compiler: control builds" "$compiler" -O2 -c -o "$build/calls.o" "$work/control.c"
	check "$compiler: control builds with vector code" "$compiler" -O3 $vector -c \
		-o "$build/vector.o" "$work/control.c"
	some "$compiler: control: a call of memcpy is seen" "$(calls "$build/calls.o")"
	# gcc makes vector code for riscv64 since version 14; before that it has to be asked for.
	if [ "$machine" = riscv64 ] && [ -z "$(vector_code "$build/vector.o")" ]; then
		echo '__asm__("vsetvli t0, a0, e8, m1, ta, ma");' >"$work/vector.c"
		"$compiler" $vector -c -o "$build/vector.o" "$work/vector.c"
	fi
	some "$compiler: control: vector registers are seen" "$(vector_code "$build/vector.o")"
}

look_at gcc '' CC=gcc
look_at clang '' CC=clang
look_at riscv64-linux-gnu-gcc riscv64-linux-gnu- CROSS=riscv64 CROSS_FLAGS=
finish
