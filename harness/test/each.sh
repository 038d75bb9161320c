#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Runs one test for prove. The cmocka of Debian 12 (1.1.5) calls a skipped test "not ok", which prove
# would take for a failure; all else passes through as it is.
output=$(mktemp) || exit 2
trap 'rm -f "$output"' EXIT
"$@" >"$output"
status=$?
sed 's/^not ok \([0-9]* # SKIP\)/ok \1/' "$output"
exit "$status"
