#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The packet parser under libFuzzer for 20 s, or FUZZ_SECONDS. `make fuzz` goes on for longer.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

fuzzer=$bin/../fuzz/packet
if [ ! -x "$fuzzer" ]; then
	echo "1..0 # SKIP no libFuzzer: clang's libraries of sanitizers (libclang-rt-dev) are missing"
	exit 0
fi
mkdir "$work/corpus"
cd "$work" || exit 1
check 'nothing was found' "$fuzzer" -max_total_time="${FUZZ_SECONDS:-20}" -max_len=400 \
	-timeout=5 -print_final_stats=1 corpus
runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$work/check")
check 'it did run' test "${runs:-0}" -gt 10000
echo "# ${runs:-0} inputs"
finish
