/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Interface: ioctls on a socket for the MTU; a port is tried by binding it. */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/host/interface.h"

static int request_mtu(unsigned long request, const char *name, struct ifreq *interface)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return errno;
	snprintf(interface->ifr_name, sizeof(interface->ifr_name), "%s", name);
	error = ioctl(fd, request, interface) ? errno : 0;
	close(fd);
	return error;
}

int interface_mtu(const char *name, unsigned int *mtu_bytes)
{
	struct ifreq interface = { 0 };
	int error = request_mtu(SIOCGIFMTU, name, &interface);

	if (!error)
		*mtu_bytes = (unsigned int)interface.ifr_mtu;
	return error;
}

int interface_set_mtu(const char *name, unsigned int mtu_bytes)
{
	struct ifreq interface = { .ifr_mtu = (int)mtu_bytes };

	return request_mtu(SIOCSIFMTU, name, &interface);
}

static bool can_bind(int type, const char *address, unsigned int port)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	int on = 1;
	bool bound;

	if (fd < 0)
		return false;
	/* A listener takes over from connections that linger, but not from another listener. */
	if (type == SOCK_STREAM)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	bound = inet_pton(AF_INET, address, &name.sin_addr) == 1 &&
		!bind(fd, (struct sockaddr *)&name, sizeof(name)) &&
		(type != SOCK_STREAM || !listen(fd, 1));
	close(fd);
	return bound;
}

bool interface_port_is_free(const char *address, unsigned int port)
{
	return can_bind(SOCK_STREAM, address, port) && can_bind(SOCK_DGRAM, address, port);
}
