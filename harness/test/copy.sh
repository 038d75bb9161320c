#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# harness copy: the list, the judge's verdict on every variant, counts, and what it says to wrong
# input.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

# says NAME TEXT COMMAND...: the command succeeds and prints a line that has TEXT.
says()
{
	name=$1 text=$2
	shift 2
	if "$@" >"$work/out" 2>"$work/err" && grep -qF -- "$text" "$work/out"; then
		ok "$name"
	else
		not_ok "$name" "not there: $text" "$(head -n 20 "$work/out")" "$(cat "$work/err")"
	fi
}

copy()
{
	"$bin/harness" copy "$@"
}

says 'list: a variant with all it has' 'memcpy memmove memset' copy list
says 'list: what a routine needs' 'riscv64; the V extension' copy list
says 'list: where it runs' 'here' copy list
says 'list: how a routine departs from what was published' 'the loop that aligns had no fix-ups' \
	copy list usercopy-words
refused 'unknown subcommand' 2 'there are list, verify, count' copy prove
refused 'no subcommand' 2 'which of list, verify, count' copy
refused 'unknown variant: those that there are' 2 'no such variant; there are: libc, byte' copy list no
refused 'unknown option' 2 '--fast: no such option' copy verify --fast
refused 'a value is missing' 2 '--vlen: wants a value' copy verify --vlen
refused 'wrong function' 2 'there are memcpy, memmove, memset, usercopy' copy count --function strcpy
refused 'wrong size' 2 'must be a number from 0' copy count --sizes 1,x
refused 'negative size' 2 'must be a number from 0' copy count --sizes -1
refused 'wrong vlen' 2 '128, 256 and 512' copy verify --vlen 200
refused 'a case without a function' 2 'needs --function' copy verify byte --size 5
refused 'a part of a case without its size' 2 'is for one case, which --size names' \
	copy verify byte --dst-align 3
refused 'a size for count' 2 'count has --sizes' copy count byte --function memcpy --size 5
refused 'a result file of the list' 2 'is for verify and count' copy list --json "$work/x.json"
refused 'a fault of what is no user copy' 2 'for usercopy' \
	copy verify byte --function memcpy --size 5 --src-fault 2

if copy verify byte --function memcpy --size 1 >/dev/null 2>"$work/err"; then
	# All of them take a minute and a half under a sanitizer, which cares for the judge alone.
	case $bin in
	*-address/bin | *-thread/bin) some='byte asm-shift kloos rvv-m4 usercopy-bytes usercopy-rvv' ;;
	*) some= ;;
	esac
	# shellcheck disable=SC2086 # names, or none
	says 'verify: every variant is right' 'contract exact' copy verify $some --quick
	check 'verify: none is wrong' sh -c "! grep WRONG '$work/out'"
	says 'verify: how far a published user copy departs' 'late by up to 56 bytes' \
		copy verify usercopy-shift --quick
	says 'verify: fast keeps the contract' 'contract exact in' \
		copy verify fast --function usercopy --quick
	says 'verify: the same at another vector length' 'rvv-m4' \
		copy verify rvv-m4 --quick --vlen 512
	says 'verify: one case' '1 loads, 1 stores' \
		copy verify byte --function memcpy --size 1 --dst-align 3 --src-align 4
	says 'verify: one fault' 'late by 56 bytes' \
		copy verify usercopy-shift --function usercopy --size 128 --dst-fault 120
	says 'count: a call, exactly' ' 30.0 (' copy count linux --function memcpy --sizes 16
	copy count linux byte --sizes 16,100 --json "$work/count.json" >/dev/null
	check 'count: a result file that is valid' "$bin/harness" validate "$work/count.json"
	check 'count: with the counts' jq -e '.kind == "count" and .unit == "instructions" and
		(.rows[] | select(.key == "memcpy, both aligned" and .size_bytes == 16) | .cells) ==
		[[30], [84]]' "$work/count.json"
	copy verify usercopy-bytes usercopy-shift --judge --quick --json - >"$work/verify.json"
	check 'verify: a result file that is valid, on standard output alone' "$bin/harness" validate \
		"$work/verify.json"
	check 'verify: with what was found' jq -e '.kind == "check" and
		(.rows[] | select(.unit == "bytes late") | .cells) == [[0], [56]]' "$work/verify.json"
	refused 'verify: a result file that cannot be written' 2 'No such file' \
		copy verify byte --function memset --judge --quick --json "$work/none/x.json"
	refused 'verify: a function that a variant has not' 2 'linux has no memset' \
		copy verify linux --function memset --size 1
else
	skip 'the judge' "$(cat "$work/err")"
fi
finish
