#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# --add on files as a kernel has them: both generations of their macros and of exception tables, by
# files of our own; then, where the package linux-source is installed or KERNEL_SOURCE names a tree,
# the kernel's own memcpy.S, memmove.S, memset.S and uaccess.S, unmodified.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

if ! command -v riscv64-linux-gnu-gcc >/dev/null; then
	echo '1..0 # SKIP no compiler for riscv64'
	exit 0
fi
# verifies NAME STATUS TEXT FILE: the judge's verdict has TEXT.
verifies()
{
	status=0
	"$bin/harness" copy verify it --judge --quick --add "$4=it" >"$work/out" 2>&1 || status=$?
	if [ "$status" -eq "$2" ] && grep -qE -- "$3" "$work/out"; then
		ok "$1"
	else
		not_ok "$1" "status $status, not $2; or not there: $3" "$(head -n 20 "$work/out")"
	fi
}

# A user copy by bytes, of the generation since 5.17.
cat >"$work/new.S" <<'END'
#include <linux/linkage.h>
#include <linux/export.h>
#include <asm/asm.h>
#include <asm/asm-extable.h>
#include <asm/csr.h>
#include <asm/hwcap.h>
#include <asm/alternative-macros.h>

	.macro fixup op reg addr lbl
100:
	\op \reg, \addr
	_asm_extable 100b, \lbl
	.endm

SYM_FUNC_START(__asm_copy_to_user)
	ALTERNATIVE("j go_on_here", "nop", 0, RISCV_ISA_EXT_ZVE32X, CONFIG_RISCV_ISA_V)
	li	a0, -1
	ret
go_on_here:
	li	t6, SR_SUM
	csrs	CSR_STATUS, t6
	add	a3, a0, a2
1:	beq	a0, a3, 2f
	fixup	lb a4, 0(a1), 2f
	fixup	sb a4, 0(a0), 2f
	addi	a0, a0, 1
	addi	a1, a1, 1
	j	1b
2:	csrc	CSR_STATUS, t6
	sub	a0, a3, a0
	ret
SYM_FUNC_END(__asm_copy_to_user)
SYM_FUNC_ALIAS(__asm_copy_from_user, __asm_copy_to_user)
EXPORT_SYMBOL(__asm_copy_to_user)

SYM_FUNC_START(__memset)
	mv	a4, a0
1:	beqz	a2, 2f
	sb	a1, 0(a4)
	addi	a4, a4, 1
	addi	a2, a2, -1
	j	1b
2:	ret
SYM_FUNC_END(__memset)
SYM_FUNC_ALIAS_WEAK(memset, __memset)
SYM_FUNC_ALIAS(__pi_memset, __memset)
END

# The same before: ENTRY and ENDPROC, and a table of addresses.
cat >"$work/old.S" <<'END'
#include <linux/linkage.h>
#include <asm-generic/export.h>
#include <asm/asm.h>
#include <asm/csr.h>

	.macro fixup op reg addr lbl
100:
	\op \reg, \addr
	.section __ex_table, "a"
	.balign RISCV_SZPTR
	RISCV_PTR 100b
	RISCV_PTR \lbl
	.previous
	.endm

ENTRY(__asm_copy_to_user)
ENTRY(__asm_copy_from_user)
	li	t6, SR_SUM
	csrs	CSR_STATUS, t6
	add	a3, a0, a2
1:	beq	a0, a3, 2f
	fixup	lb a4, 0(a1), 2f
	fixup	sb a4, 0(a0), 2f
	addi	a0, a0, 1
	addi	a1, a1, 1
	j	1b
2:	csrc	CSR_STATUS, t6
	sub	a0, a3, a0
	ret
ENDPROC(__asm_copy_to_user)
ENDPROC(__asm_copy_from_user)
EXPORT_SYMBOL(__asm_copy_to_user)

ENTRY(__clear_user)
	add	a3, a0, a1
1:	beq	a0, a3, 2f
	fixup	sb zero, 0(a0), 2f
	addi	a0, a0, 1
	j	1b
2:	sub	a0, a3, a0
	ret
ENDPROC(__clear_user)
END

verifies 'since 5.17: the table of relative entries' 0 'usercopy .*contract exact in' "$work/new.S"
check 'since 5.17: an alias is found' grep -q 'memset .*right in' "$work/out"
verifies 'before: the table of addresses' 0 'usercopy .*contract exact in' "$work/old.S"
check 'before: __clear_user too' grep -q 'clearuser .*contract exact in' "$work/out"

# One each for csrs and csrc: 8 instructions of the new one, 7 of the old, beside 6 a byte.
counts()
{
	"$bin/harness" copy count it --add "$1=it" --function usercopy --sizes 10 |
		awk '/both aligned/ { getline; getline; print $2 }'
}
check 'accesses to the status register count' test "$(counts "$work/new.S") $(counts "$work/old.S")" \
	= '68.0 67.0'
sed 's/csr[sc]	CSR_STATUS, t6/.option push; .option norvc; nop; .option pop/' "$work/old.S" \
	>"$work/nop.S"
check 'and are uncompressed' test "$("$bin/harness" copy list it --add "$work/nop.S=it" | grep '^it')" \
	= "$("$bin/harness" copy list it --add "$work/old.S=it" | grep '^it')"
sed 's/RISCV_PTR \\lbl/RISCV_PTR 100b/' "$work/old.S" >"$work/loop.S"
verifies 'a fix-up that leads nowhere is endless' 1 'usercopy .*WRONG: did not end' "$work/loop.S"

# -- the kernel's own ----------------------------------------------------------------------------
source=${KERNEL_SOURCE:-}
for archive in /usr/src/linux-source-*.tar.xz; do
	if [ -n "$source" ] || [ ! -e "$archive" ]; then
		continue
	fi
	mkdir "$work/tree"
	tar -xf "$archive" -C "$work/tree" --strip-components=1 --wildcards '*/arch/riscv/lib/*.S'
	source=$work/tree
done
# Before 5.17 a fault made them return the whole size, and there was no memmove.S.
if grep -qs asm-extable "$source/arch/riscv/lib/uaccess.S"; then
	lib=$source/arch/riscv/lib
	verifies 'kernel: memcpy.S' 0 'memcpy .*right in' "$lib/memcpy.S"
	verifies 'kernel: memmove.S' 0 'memmove .*right in' "$lib/memmove.S"
	verifies 'kernel: memset.S' 0 'memset .*right in' "$lib/memset.S"
	verifies 'kernel: uaccess.S, late by a block' 0 'usercopy .*late by up to 56 bytes' \
		"$lib/uaccess.S"
	check 'kernel: __clear_user is exact' grep -q 'clearuser .*contract exact' "$work/out"
else
	skip "kernel's own files" 'install linux-source, or name a tree since 5.17 by KERNEL_SOURCE'
fi
finish
