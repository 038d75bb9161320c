#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# What the virtual board runs once after its kernel, from busybox's init: file systems, the modules
# that Debian's kernel has its devices in, the names of its two interfaces, and SSH.
/bin/busybox mount -t proc proc /proc
/bin/busybox --install -s /bin
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
mkdir -p /run/netbench
echo 0 >/proc/sys/kernel/kptr_restrict 2>/dev/null
hostname board

# A kernel of our own has all of them inside, and refuses these.
release=$(uname -r)
if [ -d "/lib/modules/$release" ]; then
	while read -r module; do
		insmod "/lib/modules/$release/$module.ko" || echo "netbench board: no module $module"
	done <"/lib/modules/$release/order"
fi

ip link set lo up
# By their hardware addresses, as the harness gave them: the way in, and the wire of the tests.
for interface in /sys/class/net/*; do
	name=${interface##*/}
	case $(cat "$interface/address") in
	52:54:00:6e:62:01)
		ip link set "$name" name control
		ip address add 10.0.2.15/24 dev control
		ip link set control up ;;
	52:54:00:6e:62:02)
		ip link set "$name" name wire ;;
	esac
done

/usr/sbin/dropbear -R -s -j -k
echo 'netbench board: ready'
