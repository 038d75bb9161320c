/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Local hosts, inside their network namespaces: a forked child enters them, does the small work
 * that is asked, and answers in memory that it shares with us, since one cannot go there and come
 * back.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/host/interface.h"
#include "harness/host/local.h"
#include "harness/host/process.h"

#define FIRST_PORT     5201 /* iperf3's */
#define LOOPBACK_PORTS 200  /* that are tried from there on */

struct request {
	const struct local_host *local;
	const char *path;
	const char *text;	/* to be written */
	unsigned int mtu_bytes; /* to be set */
	ssize_t length;		/* of the answer */
	char answer[4096];
};

static int request(struct host *host, int (*work)(void *context), struct request *filled)
{
	struct request *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int error;

	if (shared == MAP_FAILED)
		return errno;
	*shared = *filled;
	shared->local = local_of(host);
	error = process_call(local_enter, shared->local, work, shared);
	*filled = *shared;
	munmap(shared, sizeof(*shared));
	return error;
}

static int read_file(void *context)
{
	struct request *request = context;
	int fd = open(request->path, O_RDONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	request->length = read(fd, request->answer, sizeof(request->answer) - 1);
	error = request->length < 0 ? errno : 0;
	close(fd);
	return error;
}

ssize_t local_read_file(struct host *host, const char *path, char *text, size_t size)
{
	struct request file = { .path = path };
	int error = request(host, read_file, &file);

	if (error) {
		errno = error;
		return -1;
	}
	while (file.length && file.answer[file.length - 1] == '\n')
		file.length--;
	if ((size_t)file.length >= size)
		file.length = (ssize_t)size - 1;
	memcpy(text, file.answer, (size_t)file.length);
	text[file.length] = '\0';
	return file.length;
}

static int write_file(void *context)
{
	const struct request *request = context;
	int fd = open(request->path, O_WRONLY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno;
	error = write(fd, request->text, strlen(request->text)) < 0 ? errno : 0;
	close(fd);
	return error;
}

int local_write_file(struct host *host, const char *path, const char *text)
{
	struct request file = { .path = path, .text = text };

	errno = request(host, write_file, &file);
	return errno ? -1 : 0;
}

static int set_mtu(void *context)
{
	const struct request *request = context;

	return interface_set_mtu(request->local->interface, request->mtu_bytes);
}

int local_set_mtu(struct host *host, unsigned int mtu_bytes, struct reason *reason)
{
	struct local_host *local = local_of(host);
	struct request wanted = { .mtu_bytes = mtu_bytes };
	int error;

	if (local->net_fd < 0 || local->mtu_bytes == mtu_bytes)
		return 0;
	error = request(host, set_mtu, &wanted);
	if (error)
		return reason_set(reason, "MTU %u on %s: %s", mtu_bytes, local->interface,
				  strerror(error));
	local->mtu_bytes = mtu_bytes;
	return 0;
}

static int get_mtu(void *context)
{
	struct request *request = context;

	return interface_mtu(request->local->interface, &request->mtu_bytes);
}

unsigned int local_mtu(struct host *host)
{
	struct request asked = { 0 };

	return request(host, get_mtu, &asked) ? 0 : asked.mtu_bytes;
}

static int use_congestion(void *context)
{
	const struct request *request = context;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return errno;
	error = setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, request->text,
			   (socklen_t)strlen(request->text))
			? errno
			: 0;
	close(fd);
	return error;
}

int local_check_congestion(struct host *host, const char *name, struct reason *reason)
{
	struct request wanted = { .text = name };
	char available[256] = "", allowed[256] = "";
	int error = request(host, use_congestion, &wanted);

	if (!error)
		return 0;
	local_read_file(host, "/proc/sys/net/ipv4/tcp_available_congestion_control", available,
			sizeof(available));
	local_read_file(host, "/proc/sys/net/ipv4/tcp_allowed_congestion_control", allowed,
			sizeof(allowed));
	if (error == EPERM)
		return reason_set(reason,
				  "TCP congestion control %s is not allowed to users here; allowed "
				  "are: %s; take one "
				  "by --congestion, or as root: "
				  "sysctl -w net.ipv4.tcp_allowed_congestion_control=\"%s %s\"",
				  name, allowed, allowed, name);
	return reason_set(
		reason,
		"TCP congestion control %s: %s; this kernel has: %s; take one by --congestion, or "
		"as root: modprobe tcp_%s",
		name, strerror(error), available, name);
}

unsigned int local_free_port(struct host *host, struct reason *reason)
{
	if (local_of(host)->net_fd >= 0)
		return FIRST_PORT; /* nobody else is there */
	for (unsigned int port = FIRST_PORT; port < FIRST_PORT + LOOPBACK_PORTS; port++)
		if (interface_port_is_free(LOCAL_LOOPBACK_ADDRESS, port))
			return port;
	reason_set(reason, "no free port of %d to %d on loopback", FIRST_PORT,
		   FIRST_PORT + LOOPBACK_PORTS - 1);
	return 0;
}
