#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What holds for every file of the tree: its licence line, its layout, and scripts without mistakes
# that shellcheck knows.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

cd "$bin/../../.." || exit 1
sources=$(find . -path ./build -prune -o -path ./.git -prune -o -path ./results -prune -o -type f \
	\( -name '*.[chS]' -o -name '*.sh' -o -name '*.def' -o -name '*.ini' -o -name Makefile \
	-o -path './.ci/*' -o -name '.clang-format' \) -print)

# without_output NAME COMMAND...: the command prints nothing.
without_output()
{
	name=$1
	shift
	found=$("$@" 2>&1)
	if [ -z "$found" ]; then
		ok "$name"
	else
		not_ok "$name" "$found"
	fi
}

# shellcheck disable=SC2086 # file names without blanks, as the build wants them
{
	without_output 'every file has its licence line' \
		grep -L 'SPDX-License-Identifier: GPL-2.0-only OR MIT' $sources
	without_output 'no line ends in blanks' grep -nE '[[:blank:]]+$' $sources
	scripts=$(grep -lE '^#!/(bin/sh|usr/bin/env bash)' $sources)
	check 'there are scripts to look at' test -n "$scripts"
	without_output 'shellcheck finds nothing' \
		shellcheck --external-sources --exclude=SC2317,SC2329 $scripts
}
finish
