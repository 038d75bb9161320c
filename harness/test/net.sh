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

# Nothing tells a run before a SIGKILL, so it has kept each cell by then.
"$bin/harness" net "$usr/share/netbench/configs/local.ini" --columns libc,byte --tests tcp-recv \
	--runs 1 --seconds 2 --out "$work/killed" >/dev/null 2>&1 &
killed=$!
check 'the first cell is kept when it is there' wait_for 20 test -s "$work/killed/run.json"
kill -KILL "$killed"
wait "$killed" 2>/dev/null
check 'so a run that is killed leaves a valid result' "$bin/harness" validate "$work/killed/run.json"
check 'which is marked as partial' grep -q '"partial": true' "$work/killed/run.json"

for program in harness 'harness net' 'harness copy' 'harness validate' netbench \
	'netbench serve' 'netbench parse'; do
	refused "$program: help that cannot be written" 2 'standard output: No space left' \
		sh -c "'$bin'/$program --help >/dev/full"
	refused "$program: nor its version" 2 'standard output: No space left' \
		sh -c "'$bin'/${program%% *} --version >/dev/full"
done
finish
