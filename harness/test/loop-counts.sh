#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What compilers make of the variants in C: instructions for each 8 bytes of their long loops, of
# each compiler for riscv64 that is here, counted by the judge as the exact difference of two sizes.
# They are printed, since reviewers asked; asserted is what is known of gcc 12 and 14 and clang 19,
# that the object code of each is right, and that none is misaligned that must not be. (The loops in
# assembly are the same everywhere: test_judge.c.)
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

[ -e copylib/variants.def ] || cd "$(dirname "$0")/../../.." || exit 2
unset MAKEFLAGS MAKELEVEL

# On riscv64 some of them give way to assembly: here they do not.
sources=$(find copylib/portable -name '*.c' ! -name libc.c | sort | tr '\n' ' ')

# compilers NAME: of that name, or that with a version, wherever PATH leads: version and file.
compilers()
{
	echo "$PATH" | tr : '\n' | while read -r folder; do
		for each in "$folder/$1" "$folder/$1"-[0-9]*; do
			[ -x "$each" ] || continue
			case $1 in
			clang) echo "clang-$("$each" -dumpversion) $each --target=riscv64-linux-gnu" ;;
			*) echo "gcc-$("$each" -dumpfullversion) $each" ;;
			esac
		done
	done
}

# Those that make code for riscv64, one of each main version.
usable_compilers()
{
	{
		compilers riscv64-linux-gnu-gcc
		compilers clang
	} 2>/dev/null | sort -u -V -k 1,1 | while read -r version command; do
		# shellcheck disable=SC2086 # a command and its flags
		echo 'int a;' | $command -c -x c -o "$work/usable.o" - 2>/dev/null &&
			echo "${version%%.*} ${version#*-} $command"
	done | sort -s -u -V -k 1,1
}

# builds COMMAND: the portable variants by the project's own rules, linked into $work/all.o. They
# need no C library.
builds()
{
	rm -rf "$work/build"
	objects=
	for source in $sources; do
		objects="$objects $work/build/${source%.c}.o"
	done
	# shellcheck disable=SC2086 # file names of this tree, without blanks
	make -s CROSS=riscv64 CC="$1" CROSS_FLAGS=-ffreestanding BUILD="$work/build" LIBRARIES= \
		VARIANT_SOURCES="$sources" $objects &&
		riscv64-linux-gnu-ld -r -o "$work/all.o" $objects
}

# a_word FUNCTION: co-aligned, 1 apart, and where that differs 4 apart, by the rows of
# $work/count.json.
a_word()
{
	jq -er --arg function "$1" '
		def apart($how): [.rows[] | select(.key == $function + ", " + $how) | .cells[0][0]] |
			(.[1] - .[0]) / 512;
		[apart("both aligned"), (select($function != "memset") |
			apart("destination aligned, source 1 past a word",
				"destination aligned, source 4 past a word"))] |
		if .[1] == .[2] then .[:2] else . end | map(tostring) | join(" / ")' \
		"$work/count.json" 2>"$work/err"
}

# One variant of $work/all.o: a line for each function into $work/table, key, compiler, figures.
look_at()
{
	compiler=$1 variant=$2
	prefix=$(echo "$variant" | tr - _)_
	riscv64-linux-gnu-nm --defined-only "$work/all.o" |
		sed -n -e "s/.* T \\($prefix\\)\\(mem[a-z]*\\)\$/\\1\\2 \\2/p" \
			-e "s/.* T \\(${prefix}usercopy\\)\$/\\1 __asm_copy_to_user/p" >"$work/names"
	riscv64-linux-gnu-objcopy --redefine-syms="$work/names" "$work/all.o" "$work/its.o"
	if ! "$bin/harness" copy verify its --judge --quick --add "$work/its.o=its" >"$work/out" 2>&1
	then
		wrong="$wrong $variant"
		sed "s/^/# $compiler, $variant: /" "$work/out"
	fi
	! grep -q misaligned "$work/out" || misaligned="$misaligned $variant"
	"$bin/harness" copy count its --add "$work/its.o=its" --sizes 4096,8192 --json - \
		>"$work/count.json"
	while read -r symbol _; do
		function=${symbol#"$prefix"}
		if figures=$(a_word "$function"); then
			echo "$variant $function|$compiler|$figures" >>"$work/table"
		else
			uncounted="$uncounted $symbol"
		fi
	done <"$work/names"
}

# says NAME WANTED FOUND
says()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" "should be: $2" "is: $3"
	fi
}

# is VARIANT FUNCTION COMPILER FIGURES: where that compiler is here.
is()
{
	grep -q "|$3|" "$work/table" || return 0
	says "$3: $1 $2 takes $4" "$4" "$(sed -n "s/^$1 $2|$3|//p" "$work/table")"
}

print_table()
{
	# shellcheck disable=SC2046 # words
	set -- $(cut -d ' ' -f 1 "$work/compilers")
	echo '# instructions for 8 bytes: co-aligned / source 1 past a word / 4, where that differs'
	printf '# %-25s' ''
	printf '%18s' "$@"
	printf '\n# %-25s' 'variant, function'
	# shellcheck disable=SC2046 # words
	printf '%18s' $(cut -d ' ' -f 2 "$work/compilers")
	echo
	cut -d '|' -f 1 "$work/table" | sort -u | while read -r key; do
		printf '# %-25s' "$key"
		for compiler; do
			printf '%18s' "$(sed -n "s/^$key|$compiler|//p" "$work/table")"
		done
		echo
	done
}

# --add links by this one, whoever compiled.
if ! command -v riscv64-linux-gnu-gcc >/dev/null; then
	echo '1..0 # SKIP no riscv64-linux-gnu-gcc'
	exit 0
fi
usable_compilers >"$work/compilers"
check 'there are compilers to look at' test -s "$work/compilers"
: >"$work/table"
while read -r compiler _ command; do
	if ! builds "$command" >"$work/out" 2>&1; then
		not_ok "$compiler: builds" "$(head -n 20 "$work/out")"
		continue
	fi
	wrong='' misaligned='' uncounted=''
	for source in $sources; do
		case $source in
		*-usercopy.c) ;; # a part of another
		*) look_at "$compiler" "$(basename "$source" .c)" ;;
		esac
	done
	says "$compiler: every variant is right" '' "$wrong"
	says "$compiler: none is misaligned but the one that is for it" ' c-unroll-unaligned' \
		"$misaligned"
	says "$compiler: every function can be counted" '' "$uncounted"
done <"$work/compilers"
print_table

for compiler in gcc-12 gcc-14; do
	is byte memcpy "$compiler" '40 / 40'
	is c-shift memcpy "$compiler" '5 / 9'
	is c-unroll memcpy "$compiler" '2.375 / 9'
	# As of the assembly.
	is linux memcpy "$compiler" '2.1875 / 40 / 10'
	is linux-shift memcpy "$compiler" '2.1875 / 9'
	is asm-shift memcpy "$compiler" '2.1875 / 8'
done
for compiler in gcc-12 gcc-14 clang-19; do
	is c-fast memcpy "$compiler" '2.1875 / 5.375'
	is c-fast memmove "$compiler" '2.1875 / 5.375'
	is c-fast usercopy "$compiler" '2.1875 / 5.375'
done
is byte memcpy clang-19 '48 / 48'
is c-shift memcpy clang-19 '6 / 12'
is c-unroll memcpy clang-19 '2.5 / 12'
finish
