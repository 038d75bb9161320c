#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# setup.sh where packages are missing and where none is: with stand-ins for dpkg-query, apt-get and
# sudo in front of PATH, since a test must not install anything. What it really installs is tried by
# .ci/run, in a fresh Debian.
# shellcheck source=harness/test/tap.sh
. "$(dirname "$0")/harness-tap.sh"

# A copy, since nobody may have no way into the checkout.
mkdir "$work/path"
cp "$bin/../../../setup.sh" "$work"
chmod 755 "$work" "$work/path"

# stand_in NAME: a program of that name that does what its standard input says.
stand_in()
{
	{ echo '#!/bin/sh'; cat; } >"$work/path/$1"
	chmod 755 "$work/path/$1"
}

# The call as somebody who is not root, where we are.
as_nobody()
{
	if [ "$(id -u)" -eq 0 ]; then
		PATH="$work/path:$PATH" setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@"
	else
		PATH="$work/path:$PATH" "$@"
	fi
}

stand_in sudo <<'end'
exit 1
end
stand_in apt-get <<end
echo "apt-get \$*" >>"$work/apt-calls"
end
stand_in make <<end
echo "make \$*" >>"$work/make-calls"
end
: >"$work/apt-calls"
: >"$work/make-calls"
chmod 666 "$work/apt-calls" "$work/make-calls"

stand_in dpkg-query <<'end'
echo not-installed
end
refused 'neither root nor sudo: the one apt line' 2 \
	'apt-get update && apt-get install --no-install-recommends gcc libc6-dev make' \
	as_nobody sh "$work/setup.sh" build
check 'neither root nor sudo: nothing was installed or built' \
	test ! -s "$work/apt-calls" -a ! -s "$work/make-calls"

stand_in sudo <<'end'
[ "$1" != -n ] || shift
exec "$@"
end
check 'through sudo: goes on' as_nobody sh "$work/setup.sh" build
check 'through sudo: installs what is missing' \
	grep -q 'install -y --no-install-recommends gcc .*libinih-dev' "$work/apt-calls"
check 'through sudo: builds after that' grep -q all "$work/make-calls"

stand_in dpkg-query <<'end'
printf installed
end
: >"$work/apt-calls"
check 'nothing missing: goes on' as_nobody sh "$work/setup.sh" check
check 'nothing missing: asks apt nothing' test ! -s "$work/apt-calls"
check 'check runs every test' grep -qx 'make -s check-all' "$work/make-calls"

stand_in dpkg-query <<'end'
echo not-installed
end
stand_in apt-get <<'end'
echo "E: no route to the mirror" >&2
exit 100
end
stand_in sleep <<'end'
end
refused 'a mirror that is away: says what could not be installed' 2 'could not install: gcc' \
	as_nobody sh "$work/setup.sh" bench

refused 'an unknown job: lists the jobs' 2 'build|bench|board|check' sh "$work/setup.sh" bnech
refused 'no job: lists the jobs' 2 'build|bench|board|check' sh "$work/setup.sh"
finish
