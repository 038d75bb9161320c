#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# Installs what is missing from the distribution's packages, builds, and runs the job that is asked
# for. Needs only a POSIX shell and, where something is missing, apt with root or sudo. What is
# there already is not asked of apt again, so a second call goes straight to make.
set -eu
cd "$(dirname "$0")"

build_packages='gcc libc6-dev make pkgconf liburing-dev libjansson-dev libinih-dev'
bench_packages='iperf3 iproute2'
board_packages='mmdebstrap uidmap libarchive-tools xz-utils openssh-client
	gcc-riscv64-linux-gnu libc6-dev-riscv64-cross'
check_packages='perl libcmocka-dev clang binutils jq procps shellcheck qemu-user newlib-source tshark'

usage()
{
	cat <<-end
	usage: sh setup.sh build|bench|board|check

	  build   install what building needs, and build
	  bench   the same, then the main job: stock iperf3 against netbench, a column a variant
	  board   install what the virtual RISC-V board needs, make it, and boot it
	  check   install all of that, then every test

	Tried on Debian 13 and 12 and Ubuntu 24.04; installs with apt-get, as root or through sudo.
	end
}

# The packages of the list in $1 that are not installed, on one line.
missing()
{
	for package in $1; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
		[ "$status" = installed ] || printf '%s ' "$package"
	done
}

# Packages that came after these releases; what needs them is skipped there: a QEMU that is new enough
# for the virtual board, and the libraries that clang fuzzes with by a name without its version.
newer()
{
	codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}")
	case $codename in
	bookworm|jammy|noble) ;;
	*) echo "$1" ;;
	esac
}

# Runs apt-get as root; a download that fails is tried again, since mirrors have bad minutes.
apt()
{
	for attempt in 1 2 3; do
		if $become_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 \
			-o Dpkg::Use-Pty=0 "$@"; then
			return 0
		fi
		echo "setup.sh: apt-get $1 failed, attempt $attempt of 3" >&2
		sleep $((attempt * 3))
	done
	return 1
}

install_missing()
{
	if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
		echo "setup.sh: this is no Debian or Ubuntu: install the equivalents of these yourself:" >&2
		# shellcheck disable=SC2086 # the list is to be split
		printf '  %s' $1 >&2
		echo >&2
		echo "setup.sh: going on with what is there" >&2
		return 0
	fi
	wanted=$(missing "$1")
	[ -n "$wanted" ] || return 0

	become_root=
	if [ "$(id -u)" -ne 0 ]; then
		if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
			become_root=sudo
		else
			echo "setup.sh: packages are missing, and neither root nor sudo is to be had; as root run:" >&2
			echo "  apt-get update && apt-get install --no-install-recommends $wanted" >&2
			exit 2
		fi
	fi
	echo "setup.sh: installing $wanted"
	# Nothing that a package has to say on its standard output may end up in the result.
	# shellcheck disable=SC2086 # the list is to be split
	if ! apt update >/dev/null || ! apt install -y --no-install-recommends $wanted >/dev/null; then
		echo "setup.sh: apt-get could not install: $wanted" >&2
		echo "  is the network up, and do the sources in /etc/apt name a reachable mirror?" >&2
		exit 2
	fi
}

[ $# -eq 1 ] || { usage >&2; exit 2; }
case $1 in
build)	packages=$build_packages goal=all ;;
bench)	packages="$build_packages $bench_packages" goal=bench ;;
board)	packages="$build_packages $bench_packages $board_packages $(newer qemu-system-riscv)"
	goal=board ;;
check)	packages="$build_packages $bench_packages $board_packages $check_packages
		$(newer 'qemu-system-riscv libclang-rt-dev')"
	goal=check-all ;;
-h|--help)	usage; exit 0 ;;
*)	echo "setup.sh: no such job: $1" >&2; usage >&2; exit 2 ;;
esac

install_missing "$packages"
make -s -j"$(getconf _NPROCESSORS_ONLN)" all
[ "$goal" = all ] || exec make -s "$goal"
