/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How UDP streams are opened. See hello.h. The local address of a hello is taken from the packet
 * information, because on a host with several addresses the route back may prefer another one, and
 * the client's connected socket would not take an answer from that.
 */
#define _GNU_SOURCE /* struct in6_pktinfo */
#include "netbench/iperf3/hello.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "netbench/iperf3/wire.h"

static int set_int(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value));
}

static bool prepare_listener(int fd, const union address *address)
{
	bool v6 = address->any.sa_family == AF_INET6;

	if (v6 && IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr) &&
	    set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0) < 0)
		return false;
	if (v6 ? set_int(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) < 0
	       : set_int(fd, IPPROTO_IP, IP_PKTINFO, 1) < 0)
		return false;
	if (bind(fd, &address->any, address_bytes(address)) < 0)
		return false;
	return set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1) == 0;
}

int hello_listen(const union address *address)
{
	int fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	if (prepare_listener(fd, address))
		return fd;
	error = errno;
	close(fd);
	return -error;
}

/** Fills in where a datagram was sent to. */
static bool read_local(struct msghdr *message, int listener, union address *local)
{
	union address bound = { 0 };
	socklen_t bytes = sizeof(bound);

	if (getsockname(listener, &bound.any, &bytes) < 0)
		return false;
	memset(local, 0, sizeof(*local));
	for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part;
	     part = CMSG_NXTHDR(message, part)) {
		if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
			struct in6_pktinfo info;

			memcpy(&info, CMSG_DATA(part), sizeof(info));
			local->v6.sin6_family = AF_INET6;
			local->v6.sin6_addr = info.ipi6_addr;
			if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr))
				local->v6.sin6_scope_id = info.ipi6_ifindex;
		} else if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
			struct in_pktinfo info;

			memcpy(&info, CMSG_DATA(part), sizeof(info));
			local->v4.sin_family = AF_INET;
			local->v4.sin_addr = info.ipi_addr;
		}
	}
	if (local->any.sa_family == AF_UNSPEC)
		return false;
	address_set_port(local, address_port(&bound));
	address_normalize(local);
	return true;
}

/* How many datagrams are looked at in one go: a flood of anything else delays nobody for long. */
#define LISTENER_BATCH 64
/* More than can lie in a new socket; only its own peer could go on filling it. */
#define STRAYS_BATCH 4096

bool hello_receive(int listener, struct hello *hello)
{
	uint8_t datagram[WIRE_HELLO_BYTES + 1]; /* so that a longer one is seen to be longer */
	union {
		char bytes[256];
		struct cmsghdr align;
	} control;
	struct iovec part = { datagram, sizeof(datagram) };

	for (int i = 0; i < LISTENER_BATCH; i++) {
		struct msghdr message = { .msg_name = &hello->peer,
					  .msg_namelen = sizeof(hello->peer),
					  .msg_iov = &part,
					  .msg_iovlen = 1,
					  .msg_control = control.bytes,
					  .msg_controllen = sizeof(control.bytes) };
		ssize_t got;

		memset(hello, 0, sizeof(*hello));
		got = recvmsg(listener, &message, 0);
		if (got < 0)
			return false;
		if (!wire_is_hello(datagram, (size_t)got))
			continue;
		address_normalize(&hello->peer);
		if (read_local(&message, listener, &hello->local))
			return true;
	}
	return false;
}

static size_t take_strays(int fd, const struct hello *hello, struct hello *strays, size_t room)
{
	uint8_t datagram[WIRE_HELLO_BYTES + 1];
	size_t count = 0;

	for (int i = 0; i < STRAYS_BATCH; i++) {
		struct hello stray = { .local = hello->local };
		socklen_t bytes = sizeof(stray.peer);
		ssize_t got = recvfrom(fd, datagram, sizeof(datagram), 0, &stray.peer.any, &bytes);

		if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			break;
		/* Any other error is what the network said of an earlier datagram. */
		if (got < 0 || !wire_is_hello(datagram, (size_t)got) || count == room)
			continue;
		/* The same hello again, doubled by the network, is not another stream. */
		if (address_same_host(&stray.peer, &hello->peer) &&
		    address_port(&stray.peer) == address_port(&hello->peer))
			continue;
		strays[count++] = stray;
	}
	return count;
}

int hello_accept(const struct hello *hello, struct hello *strays, size_t room, size_t *stray_count)
{
	int fd = socket(hello->local.any.sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	*stray_count = 0;
	if (fd < 0)
		return -errno;
	if (set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1) < 0 ||
	    bind(fd, &hello->local.any, address_bytes(&hello->local)) < 0 ||
	    connect(fd, &hello->peer.any, address_bytes(&hello->peer)) < 0) {
		error = errno;
		close(fd);
		return -error;
	}
	*stray_count = take_strays(fd, hello, strays, room);
	return fd;
}

int hello_answer(int fd)
{
	return send(fd, wire_hello_answer, WIRE_HELLO_BYTES, 0) == WIRE_HELLO_BYTES ? 0 : -errno;
}

/* An address as a socket of the other family sees it: ::ffff:a.b.c.d. */
static void map_to_v6(union address *address)
{
	union address mapped = { .v6 = { .sin6_family = AF_INET6 } };

	if (address->any.sa_family != AF_INET)
		return;
	mapped.v6.sin6_port = address->v4.sin_port;
	mapped.v6.sin6_addr.s6_addr[10] = mapped.v6.sin6_addr.s6_addr[11] = 0xff;
	memcpy(&mapped.v6.sin6_addr.s6_addr[12], &address->v4.sin_addr, 4);
	*address = mapped;
}

/* Puts into a message from which of its addresses the socket is to send it. */
static void set_source(struct msghdr *message, const union address *local)
{
	struct cmsghdr *head = CMSG_FIRSTHDR(message);

	if (local->any.sa_family == AF_INET) {
		struct in_pktinfo from = { .ipi_spec_dst = local->v4.sin_addr };

		head->cmsg_level = IPPROTO_IP;
		head->cmsg_type = IP_PKTINFO;
		head->cmsg_len = CMSG_LEN(sizeof(from));
		memcpy(CMSG_DATA(head), &from, sizeof(from));
		message->msg_controllen = CMSG_SPACE(sizeof(from));
	} else {
		struct in6_pktinfo from = { .ipi6_addr = local->v6.sin6_addr };

		head->cmsg_level = IPPROTO_IPV6;
		head->cmsg_type = IPV6_PKTINFO;
		head->cmsg_len = CMSG_LEN(sizeof(from));
		memcpy(CMSG_DATA(head), &from, sizeof(from));
		message->msg_controllen = CMSG_SPACE(sizeof(from));
	}
}

/* From the address that the hello was sent to, as the peer takes answers from there alone. */
void hello_answer_from(int listener, const struct hello *hello)
{
	union address peer = hello->peer, local = hello->local, bound = { 0 };
	socklen_t bytes = sizeof(bound);
	union {
		char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))];
		struct cmsghdr align;
	} control = { { 0 } };
	uint8_t answer[WIRE_HELLO_BYTES];
	struct iovec part = { answer, sizeof(answer) };
	struct msghdr message = { .msg_name = &peer,
				  .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };

	if (getsockname(listener, &bound.any, &bytes) < 0)
		return;
	if (bound.any.sa_family == AF_INET6) {
		map_to_v6(&peer);
		map_to_v6(&local);
	}
	memcpy(answer, wire_hello_answer, sizeof(answer));
	message.msg_namelen = address_bytes(&peer);
	set_source(&message, &local);
	/* What cannot be sent is as what is lost on the way. */
	sendmsg(listener, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}
