#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# harness net as a whole: it finds its configuration where make install puts it, and a table that
# was measured is shown even if it cannot be kept.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"
own_network "$@"

usr=$work/installed/usr
mkdir -p "$usr/bin" "$usr/share/netbench/configs" "$work/elsewhere" "$work/kept/table.txt"
cp "$bin/harness" "$bin/netbench" "$usr/bin"
printf '[run]\ntests = tcp-recv\ncolumns = libc\nruns = 1\nseconds = 1\nmistake = 1\n' \
	>"$usr/share/netbench/configs/local.ini"
cd "$work/elsewhere" || exit 1

refused 'installed, it finds the configuration that was installed with it' 2 \
	'/share/netbench/configs/local.ini:6: [run] has no key "mistake"' "$usr/bin/harness" net
refused 'what is asked for by name is not looked for elsewhere' 2 \
	'harness: configs/local.ini: No such file or directory' "$usr/bin/harness" net configs/local.ini

sed -i /mistake/d "$usr/share/netbench/configs/local.ini"
refused 'a table that cannot be kept fails the run' 2 'table.txt: Is a directory' \
	"$bin/harness" net "$usr/share/netbench/configs/local.ini" --out "$work/kept"
check 'and is shown' grep -q 'tcp-recv  *[0-9.]*  Mbit/s' "$work/out"
finish
