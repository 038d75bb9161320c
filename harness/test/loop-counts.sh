#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What compilers make of the variants in C: instructions for each 8 bytes of their long loops, of
# each compiler for riscv64 that is here, counted by the judge as the difference of two sizes. They
# are printed, since reviewers asked; asserted is what is known of gcc 12 and 14 and clang 19, that
# the object code of each is right, and that none is misaligned that must not be. (The loops in
# assembly are the same everywhere: test_judge.c.)
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

[ -e copylib/variants.def ] || cd "$(dirname "$0")/../../.." || exit 2
unset MAKEFLAGS MAKELEVEL

# builds NAME COMPILER [FLAGS]: the portable variants by the project's own rules.
builds()
{
	rm -rf "$work/build"
	make -s CROSS=riscv64 CC="$2" CROSS_FLAGS="${3:-}" BUILD="$work/build" LIBRARIES= \
		NETBENCH_SOURCES= HARNESS_SOURCES= "$work/build/libcopylib.a" >"$work/err" 2>&1
}

# a_word FUNCTION ALIGNMENT: of the row in $work/count.json; nothing if there is none.
a_word()
{
	jq -r --arg key "$1, $2" '[.rows[] | select(.key == $key) | .cells[0][0]] |
		if length == 2 and .[0] != null then (.[1] - .[0]) / 512 * 100 | round / 100
		else empty end' "$work/count.json"
}

# One compiler: a line for each variant and function into $work/table: key, compiler, figures.
look_at()
{
	name=$1
	if ! builds "$@"; then
		not_ok "$name: builds" "$(tail -n 5 "$work/err")"
		return
	fi
	for object in "$work"/build/copylib/portable/*.o; do
		variant=$(basename "$object" .o)
		case $variant in
		libc | *-usercopy) continue ;;
		esac
		if [ -e "${object%.o}-usercopy.o" ]; then
			riscv64-linux-gnu-ld -r -o "$work/all.o" "$object" "${object%.o}-usercopy.o"
			object=$work/all.o
		fi
		prefix=$(echo "$variant" | tr - _)_
		riscv64-linux-gnu-nm --defined-only "$object" |
			sed -n -e "s/.* T \\($prefix\\)\\(mem[a-z]*\\)\$/\\1\\2 \\2/p" \
				-e "s/.* T \\(${prefix}usercopy\\)\$/\\1 __asm_copy_to_user/p" >"$work/names"
		built=$((built + 1))
		# Some are nothing but another one beyond their own cases.
		riscv64-linux-gnu-nm -u "$object" | grep -q linux_memcpy &&
			{ riscv64-linux-gnu-ld -r -o "$work/both.o" "$object" \
				"$work/build/copylib/riscv64/linux.o"; object=$work/both.o; }
		riscv64-linux-gnu-objcopy --redefine-syms="$work/names" "$object" "$work/its.o"
		if "$bin/harness" copy verify its --judge --quick --add "$work/its.o=its" >"$work/out" 2>&1
		then
			right=$((right + 1))
		else
			not_ok "$name: $variant is right" "$(cat "$work/out")"
		fi
		grep -q misaligned "$work/out" && echo "$variant" >>"$work/misaligned"
		"$bin/harness" copy count its --add "$work/its.o=its" --sizes 4096,8192 --json - \
			>"$work/count.json"
		for function in memcpy memmove memset usercopy; do
			aligned=$(a_word "$function" 'both aligned')
			[ -n "$aligned" ] || continue
			apart=$(a_word "$function" 'destination aligned, source 1 past a word')
			[ "$function" != memset ] || apart=-
			echo "$variant $function|$name|$aligned / $apart" >>"$work/table"
		done
	done
}

# is VARIANT FUNCTION COMPILER FIGURES: where that compiler is here.
is()
{
	grep -q "|$3|" "$work/table" || return 0
	check "$3: $1 $2 takes $4" grep -qx "$1 $2|$3|$4" "$work/table"
}

if ! command -v riscv64-linux-gnu-gcc >/dev/null ||
	! echo '#include <string.h>' | riscv64-linux-gnu-gcc -E - >/dev/null 2>&1; then
	echo '1..0 # SKIP no compiler for riscv64, or no headers of the C library for it'
	exit 0
fi
: >"$work/table"
: >"$work/misaligned"
right=0
built=0
found=
for compiler in riscv64-linux-gnu-gcc riscv64-linux-gnu-gcc-9 riscv64-linux-gnu-gcc-12 \
	riscv64-linux-gnu-gcc-13 riscv64-linux-gnu-gcc-14 riscv64-linux-gnu-gcc-15 \
	clang clang-12 clang-14 clang-16 clang-18 clang-19 clang-20 clang-21; do
	command -v "$compiler" >/dev/null || continue
	case $compiler in
	clang*)
		version=clang-$("$compiler" -dumpversion | cut -d . -f 1)
		# The routines with vector code ask for it in the file.
		if ! echo '	.option arch, +v' | "$compiler" --target=riscv64-linux-gnu -c \
			-x assembler - -o "$work/a.o" 2>/dev/null; then
			skip "$version" 'its assembler is too old for riscv64'
			continue
		fi
		;;
	*) version=gcc-$("$compiler" -dumpversion | cut -d . -f 1) ;;
	esac
	case " $found " in
	*" $version "*) continue ;;
	esac
	found="$found $version"
	case $compiler in
	clang*) look_at "$version" "$compiler --target=riscv64-linux-gnu" \
		"-isystem /usr/riscv64-linux-gnu/include" ;;
	*) look_at "$version" "$compiler" ;;
	esac
done

# shellcheck disable=SC2086 # words
set -- $found
echo '# instructions for 8 bytes, co-aligned / source 1 past a word'
{
	printf '# %-26s' variant
	printf '%16s' "$@"
	echo
	cut -d '|' -f 1 "$work/table" | sort -u | while read -r key; do
		printf '# %-26s' "$key"
		for compiler; do
			printf '%16s' "$(sed -n "s/^$key|$compiler|//p" "$work/table")"
		done
		echo
	done
} | tee "$work/printed"

check 'every variant is right, by every compiler' test "$right" -gt 0 -a "$right" -eq "$built"
check 'none is misaligned but the one that is for it' test \
	"$(sort -u "$work/misaligned")" = c-unroll-unaligned
for compiler in gcc-12 gcc-14; do
	is byte memcpy "$compiler" '40 / 40'
	is c-shift memcpy "$compiler" '5 / 9'
	is c-unroll memcpy "$compiler" '2.38 / 9'
done
for compiler in gcc-12 gcc-14 clang-19; do
	is c-fast memcpy "$compiler" '2.19 / 5.38'
	is c-fast memmove "$compiler" '2.19 / 5.38'
	is c-fast usercopy "$compiler" '2.19 / 5.38'
done
is c-shift memcpy clang-19 '.* / 12'
is c-unroll memcpy clang-19 '2.5 / 12'
finish
