/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Namespaces: a child makes them, since one cannot go back to where one was, sends the descriptors
 * over a socket and is gone. From then on the descriptors alone keep them alive.
 */
#define _GNU_SOURCE /* unshare(), setns() */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/host/namespace.h"
#include "harness/host/process.h"

#define DESCRIPTORS 3

struct creation {
	int socket;
	uid_t uid; /* ours outside, which a new user namespace maps to root */
	gid_t gid;
};

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t written;
	int error;

	if (fd < 0)
		return errno;
	written = write(fd, text, strlen(text));
	error = written < 0 ? errno : 0;
	close(fd);
	return error;
}

/* A user namespace in which we are root: what it owns, we may configure. */
static int become_root(const struct creation *creation)
{
	char map[64];
	int error;

	if (unshare(CLONE_NEWUSER))
		return errno;
	error = write_text("/proc/self/setgroups", "deny");
	if (error)
		return error;
	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)creation->uid);
	error = write_text("/proc/self/uid_map", map);
	if (error)
		return error;
	snprintf(map, sizeof(map), "0 %u 1", (unsigned int)creation->gid);
	return write_text("/proc/self/gid_map", map);
}

static int send_descriptors(int socket, const int *fds, size_t count)
{
	union {
		char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
		struct cmsghdr header;
	} control = { 0 };
	struct iovec one_byte = { "", 1 };
	struct msghdr message = { .msg_iov = &one_byte,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = CMSG_SPACE(count * sizeof(int)) };

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(&control.header), fds, count * sizeof(int));
	return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

/* In the child: makes both network namespaces, one after the other, and sends what holds them. */
static int create(void *context)
{
	const struct creation *creation = context;
	int fds[DESCRIPTORS];
	size_t count = 0;

	if (unshare(CLONE_NEWNET)) {
		int error = errno == EPERM ? become_root(creation) : errno;

		if (error)
			return error;
		if (unshare(CLONE_NEWNET))
			return errno;
		fds[count] = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
		if (fds[count++] < 0)
			return errno;
	}
	fds[count] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fds[count++] < 0)
		return errno;
	if (unshare(CLONE_NEWNET))
		return errno;
	fds[count] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fds[count++] < 0)
		return errno;
	return send_descriptors(creation->socket, fds, count);
}

/* The count of descriptors that came, or 0 with errno. */
static size_t receive_descriptors(int socket, int *fds)
{
	union {
		char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
		struct cmsghdr header;
	} control = { 0 };
	char byte;
	struct iovec one_byte = { &byte, 1 };
	struct msghdr message = { .msg_iov = &one_byte,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	size_t count;

	if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1)
		return 0;
	if (!message.msg_controllen || control.header.cmsg_type != SCM_RIGHTS) {
		errno = EPROTO;
		return 0;
	}
	count = (control.header.cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(&control.header), count * sizeof(int));
	return count;
}

int namespaces_create(struct namespaces *namespaces, struct reason *reason)
{
	struct creation creation = { .uid = geteuid(), .gid = getegid() };
	int fds[DESCRIPTORS], pair[2], error;
	size_t count = 0;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair))
		return reason_set(reason, "no socket: %s", strerror(errno));
	creation.socket = pair[1];
	error = process_call(NULL, NULL, create, &creation);
	if (!error) {
		count = receive_descriptors(pair[0], fds);
		error = count ? 0 : errno;
	}
	close(pair[0]);
	close(pair[1]);
	if (error)
		return reason_set(reason, "network namespaces are refused: %s", strerror(error));
	namespaces->user_fd = count == DESCRIPTORS ? fds[0] : -1;
	namespaces->net_fd[0] = fds[count - 2];
	namespaces->net_fd[1] = fds[count - 1];
	return 0;
}

void namespaces_close(struct namespaces *namespaces)
{
	if (namespaces->user_fd >= 0)
		close(namespaces->user_fd);
	close(namespaces->net_fd[0]);
	close(namespaces->net_fd[1]);
}

int namespace_enter(int user_fd, int net_fd)
{
	if (user_fd >= 0 && setns(user_fd, CLONE_NEWUSER))
		return errno;
	if (net_fd >= 0 && setns(net_fd, CLONE_NEWNET))
		return errno;
	return 0;
}
