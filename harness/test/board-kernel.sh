#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# harness board kernel up to the patch: against a kernel tree of a few lines that has the shape of
# Debian's, and against Debian's own where its source is installed. That the kernels build and run is
# seen by make check-kernels.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

harness=$bin/harness
sources=$(cd "$bin/../../.." && pwd)
board=$work/board

if ! command -v git >/dev/null; then
	echo '1..0 # SKIP no git'
	exit 0
fi

# patched NAME [OPTION...]: the patch against the tree there is.
patched()
{
	name=$1
	shift
	"$harness" board kernel "$name" --patch-only --folder "$board" --source "$sources" \
		--linux "$tree" "$@"
}

# -- a tree of the shape of Debian's --------------------------------------------------------------
tree=$work/shape
lib=$tree/arch/riscv/lib
mkdir -p "$lib" "$tree/arch/riscv/purgatory" "$tree/arch/riscv/include/asm"
for routine in memcpy memmove memset; do
	cat >"$lib/$routine.S" <<-end
		#include <linux/linkage.h>
		SYM_FUNC_START(__$routine)
			ret
		SYM_FUNC_END(__$routine)
		SYM_FUNC_ALIAS_WEAK($routine, __$routine)
		SYM_FUNC_ALIAS(__pi_$routine, __$routine)
		SYM_FUNC_ALIAS(__pi___$routine, __$routine)
	end
done
cat >"$lib/uaccess.S" <<'end'
#include <linux/linkage.h>
SYM_FUNC_START(__asm_copy_to_user)
	tail	enter_vector_usercopy
SYM_FUNC_END(__asm_copy_to_user)
SYM_FUNC_START(fallback_scalar_usercopy)
	li	a0, 0
	ret
SYM_FUNC_END(fallback_scalar_usercopy)
SYM_FUNC_START(__clear_user)
	ret
SYM_FUNC_END(__clear_user)
EXPORT_SYMBOL(__clear_user)
end
cat >"$lib/Makefile" <<'end'
lib-y			+= delay.o
lib-y			+= memcpy.o
lib-y			+= memset.o
lib-y			+= memmove.o
lib-$(CONFIG_MMU)	+= uaccess.o
end
cat >"$tree/arch/riscv/purgatory/Makefile" <<'end'
purgatory-y := purgatory.o sha256.o entry.o string.o ctype.o memcpy.o memset.o

$(obj)/memcpy.o: $(srctree)/arch/riscv/lib/memcpy.S FORCE
	$(call if_changed_rule,as_o_S)

$(obj)/memset.o: $(srctree)/arch/riscv/lib/memset.S FORCE
	$(call if_changed_rule,as_o_S)

CFLAGS_REMOVE_ctype.o		+= $(PURGATORY_CFLAGS_REMOVE)
CFLAGS_ctype.o			+= $(PURGATORY_CFLAGS)
end
: >"$tree/arch/riscv/include/asm/asm-extable.h"

try_every_variant()
{
	patched nothing-like-it >"$work/out" 2>"$work/err"
	names=$(sed -n 's/.*there are: stock, \(.*\), and several joined by +.*/\1/p' "$work/err" |
		sed 's/, / /g')
	check "$1: there are variants for it" test "$(echo "$names" | wc -w)" -ge 10
	for variant in $names linux+usercopy-bytes c-words+usercopy-words asm-shift+usercopy-words \
		linux-shift+usercopy-shift kloos+duff; do
		if ! patched "$variant" >"$work/patch" 2>"$work/err"; then
			not_ok "$1: $variant" "$(cat "$work/err")"
			continue
		fi
		# Applied for real, to a copy: what is there afterwards is what was meant.
		rm -rf "$work/applied"
		cp -r "$tree" "$work/applied"
		(cd "$work/applied" && GIT_CEILING_DIRECTORIES=$work git apply --whitespace=error \
			"$work/patch") >"$work/out" 2>&1
		status=$?
		if [ $status -eq 0 ] && ! diff -rq "$tree" "$work/applied" >/dev/null; then
			ok "$1: $variant: the patch applies, changes something, has no blanks at ends"
		else
			not_ok "$1: $variant: applies" "$(cat "$work/out")"
		fi
		lost=
		for each in memcpy memmove memset; do
			cat "$work/applied/arch/riscv/lib/"mem*.[cS] >"$work/all"
			for alias in "$each" "__pi_$each" "__pi___$each"; do
				grep -qE "(ALIAS(_WEAK)?\($alias,|\*$alias\(.*__alias)" "$work/all" ||
					lost="$lost $alias"
			done
		done
		check "$1: $variant: each name of the kernel's is there:$lost" test -z "$lost"
		check "$1: $variant: __clear_user is kept" \
			grep -q 'SYM_FUNC_START(__clear_user)' "$work/applied/arch/riscv/lib/uaccess.S"
		check "$1: $variant: the scalar copy keeps its name" grep -q \
			'SYM_FUNC_END(fallback_scalar_usercopy)' "$work/applied/arch/riscv/lib/uaccess.S"
		twice=$(grep -ohE '^SYM_FUNC_START\([a-z0-9_]*' "$work/applied/arch/riscv/lib/"*.S |
			sort | uniq -d)
		check "$1: $variant: nothing is defined twice$twice" test -z "$twice"
		# A file that is named is there, and one that is gone is not named.
		grep -hoE '[a-z0-9-]+\.o\b' "$work/applied/arch/riscv/lib/Makefile" >"$work/objects"
		while read -r object; do
			[ "$object" = delay.o ] || [ -n "${whole:-}" ] ||
				check "$1: $variant: $object has a source" sh -c \
					"test -e '$work/applied/arch/riscv/lib/${object%.o}.S' ||
					test -e '$work/applied/arch/riscv/lib/${object%.o}.c'"
		done <"$work/objects"
	done
	patched stock >"$work/patch" 2>"$work/err"
	check "$1: stock: no error" test ! -s "$work/err"
	check "$1: stock: nothing to change" test ! -s "$work/patch"
}
try_every_variant shape

# -- one's own -----------------------------------------------------------------------------------
printf '%s\n' '.globl memcpy' 'memcpy:' '	ret' >"$work/mine.S"
check 'a file of one'"'"'s own under a new name' patched mine --add "$work/mine.S"
patched mine --add "$work/mine.S" >"$work/patch"
check 'the plain name becomes the kernel'"'"'s' grep -q '^+#define memcpy __memcpy' "$work/patch"
check 'with the kernel'"'"'s other names' grep -q '__pi_memcpy, __memcpy' "$work/patch"
refused 'a file that is not there' 2 "--add $work/none.S: No such file" \
	patched mine --add "$work/none.S"
printf 'int one(void)\n{\n\treturn 1;\n}\n' >"$work/one.c"
refused 'a file without such a function' 2 'no function in it that a kernel has' \
	patched mine --add "$work/one.c"
: >"$work/mine.so"
refused 'an object' 2 'a kernel is built from sources: .S or .c' \
	patched mine --add "$work/mine.so"
printf '%s\n' 'SYM_FUNC_START(__asm_copy_to_user)' '	ret' 'SYM_FUNC_END(__asm_copy_to_user)' \
	>"$work/copy.S"
refused 'a user copy without __clear_user' 2 '__clear_user is not in it' \
	patched mine --add "$work/copy.S"

# -- what is refused -----------------------------------------------------------------------------
refused 'an unknown variant' 2 'lniux: no such variant; there are: stock' patched lniux
refused 'one of a list' 2 'lniux: no such variant' patched fast+lniux
refused 'libc' 2 'a kernel has no C library' patched libc
refused 'one of another machine' 2 'movsb: it ' patched movsb
refused 'V' 2 'rvv-m8: it needs the V extension' patched rvv-m8
refused 'a user copy in C' 2 'c-fast: its user copy is C' patched c-fast
refused 'a name with a folder' 2 'cannot be the name of a kernel' \
	patched ../up --add "$work/mine.S"
refused 'the name of Debian'"'"'s own' 2 'cannot be the name of a kernel' \
	patched debian --add "$work/mine.S"
refused 'no name' 2 'of which variant?' "$harness" board kernel --folder "$board"
refused 'a tree that is not there' 2 'nowhere: No such file' \
	"$harness" board kernel fast --patch-only --folder "$board" --source "$sources" \
	--linux "$work/nowhere"
mkdir "$work/empty"
refused 'a tree of something else' 2 'no kernel tree of a shape that is known' \
	"$harness" board kernel fast --patch-only --folder "$board" --source "$sources" \
	--linux "$work/empty"
refused 'a folder to build from' 2 'a folder is for --patch-only' \
	"$harness" board kernel fast --folder "$board" --source "$sources" --linux "$tree"
sed -i '/SYM_FUNC_END(fallback/d;/SYM_FUNC_END(__asm/d' "$lib/uaccess.S"
refused 'a user copy of another shape' 2 'where its copy begins and ends is not to be seen' \
	patched fast
rm "$lib/memset.S"
refused 'a file that is missing' 2 'no kernel tree of a shape that is known' patched fast
head -c 5000 /dev/zero >"$work/cut.tar.xz"
refused 'an archive that is none' 2 "unpacking the kernel's source" \
	"$harness" board kernel fast --folder "$board" --source "$sources" --linux "$work/cut.tar.xz"
check 'of which nothing is taken for a source' test ! -e "$board/linux"

# -- Debian's ------------------------------------------------------------------------------------
for tarball in /usr/src/linux-source-*.tar.xz; do :; done
if [ -e "$tarball" ]; then
	tree=$work/debian
	whole=1
	mkdir "$tree"
	tar -xf "$tarball" -C "$tree" --strip-components=1 --wildcards '*/arch/riscv/lib/*' \
		'*/arch/riscv/purgatory/*' '*/arch/riscv/include/asm/*'
	try_every_variant Debian
else
	skip "Debian's kernel" 'no linux-source in /usr/src'
fi
finish
