/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Local hosts: board and peer on this machine, each in a network namespace of its own, joined by a
 * veth pair. Nothing of it has a name outside, so nothing is left behind. Where the machine refuses
 * namespaces, both use its loopback instead, and the pair's note says so.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/host/interface.h"
#include "harness/host/local_cpus.h"
#include "harness/host/namespace.h"
#include "harness/host/process.h"

#define NS_PER_S	 INT64_C(1000000000)
#define SETUP_LIMIT_NS	 (10 * NS_PER_S)
#define FIRST_PORT	 5201 /* iperf3's */
#define LOOPBACK_PORTS	 200  /* that are tried from there on */
#define LOOPBACK_ADDRESS "127.0.0.1"
/* Of the range for benchmarks of network devices, RFC 2544: routed nowhere. */
#define BOARD_ADDRESS "198.18.0.1"
#define PEER_ADDRESS  "198.18.0.2"

struct local_host {
	struct host host;
	int user_fd, net_fd; /* -1: this process's own */
	char interface[16];
	unsigned int mtu_bytes; /* as last set; 0: not yet */
};

static struct local_host *local_of(struct host *host)
{
	return (struct local_host *)host; /* its first member */
}

static int enter(const void *context)
{
	const struct local_host *local = context;

	return namespace_enter(local->user_fd, local->net_fd);
}

static void local_close(struct host *host)
{
	struct local_host *local = local_of(host);

	if (local->user_fd >= 0)
		close(local->user_fd);
	if (local->net_fd >= 0)
		close(local->net_fd);
	free(local);
}

/* -- small work inside the namespace: a child does it and answers in shared memory ----------- */

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
	error = process_call(enter, shared->local, work, shared);
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

static ssize_t local_read_file(struct host *host, const char *path, char *text, size_t size)
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

static int local_write_file(struct host *host, const char *path, const char *text)
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

static int local_set_mtu(struct host *host, unsigned int mtu_bytes, struct reason *reason)
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

static unsigned int local_mtu(struct host *host)
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

static int local_check_congestion(struct host *host, const char *name, struct reason *reason)
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

static unsigned int local_free_port(struct host *host, struct reason *reason)
{
	if (local_of(host)->net_fd >= 0)
		return FIRST_PORT; /* nobody else is there */
	for (unsigned int port = FIRST_PORT; port < FIRST_PORT + LOOPBACK_PORTS; port++)
		if (interface_port_is_free(LOOPBACK_ADDRESS, port))
			return port;
	reason_set(reason, "no free port of %d to %d on loopback", FIRST_PORT,
		   FIRST_PORT + LOOPBACK_PORTS - 1);
	return 0;
}

static int local_start(struct host *host, const char *const *argv, struct host_process **process,
		       struct reason *reason)
{
	const struct process_options options = {
		.argv = argv, .cpu = (int)host->cpu, .enter = enter, .context = host
	};

	return process_start(&options, process, reason);
}

static const struct host_operations local_operations = {
	.close = local_close,
	.free_port = local_free_port,
	.set_mtu = local_set_mtu,
	.mtu = local_mtu,
	.check_congestion = local_check_congestion,
	.read_file = local_read_file,
	.write_file = local_write_file,
	.start = local_start,
};

/* -- opening -------------------------------------------------------------------------------- */

static struct host *local_create(unsigned int cpu)
{
	struct local_host *local = calloc(1, sizeof(*local));

	if (!local)
		return NULL;
	local->host.operations = &local_operations;
	local->host.is_this_machine = true;
	local->host.cpu = cpu;
	local->user_fd = -1;
	local->net_fd = -1;
	snprintf(local->interface, sizeof(local->interface), "lo");
	snprintf(local->host.address, sizeof(local->host.address), LOOPBACK_ADDRESS);
	return &local->host;
}

/* Enters the board's namespace, and keeps the peer's open for the program that is exec'd. */
static int enter_with_other(const void *context)
{
	const struct host_pair *pair = context;

	if (fcntl(local_of(pair->peer)->net_fd, F_SETFD, 0))
		return errno;
	return enter(local_of(pair->board));
}

/* Runs ip (iproute2) with these commands on its input. */
static int run_ip(int (*enter_it)(const void *context), const void *context, const char *commands,
		  struct reason *reason)
{
	static const char *const argv[] = { "ip", "-batch", "-", NULL };
	const struct process_options options = {
		.argv = argv, .input = commands, .cpu = -1, .enter = enter_it, .context = context
	};
	struct host_process *process;
	enum host_wait waited;
	int status = 0;

	if (process_start(&options, &process, reason))
		return -1;
	waited = host_wait(process, SETUP_LIMIT_NS, &status);
	if (waited != HOST_WAIT_DONE || status) {
		char *said = host_output_text(process, HOST_STDERR);

		if (said)
			said[strcspn(said, "\n")] = '\0';
		reason_set(reason, "ip (iproute2): %s",
			   waited == HOST_WAIT_TIMEOUT ? "no end within 10 s"
			   : said && *said	       ? said
						       : "failed");
		free(said);
		host_close_process(process);
		return -1;
	}
	host_close_process(process);
	return 0;
}

static int join_by_veth(struct host_pair *pair, struct reason *reason)
{
	const struct local_host *board = local_of(pair->board), *peer = local_of(pair->peer);
	char commands[512];

	snprintf(commands, sizeof(commands),
		 "link set dev lo up\n"
		 "link add dev %s type veth peer name %s netns /proc/self/fd/%d\n"
		 "address add %s peer %s dev %s\n"
		 "link set dev %s up\n",
		 board->interface, peer->interface, peer->net_fd, board->host.address,
		 peer->host.address, board->interface, board->interface);
	if (run_ip(enter_with_other, pair, commands, reason))
		return -1;
	snprintf(commands, sizeof(commands),
		 "link set dev lo up\n"
		 "address add %s peer %s dev %s\n"
		 "link set dev %s up\n",
		 peer->host.address, board->host.address, peer->interface, peer->interface);
	return run_ip(enter, peer, commands, reason);
}

static int name_end(struct host *host, const char *which, const struct host_configuration *wanted,
		    const char *address, const char *interface, struct reason *reason)
{
	struct local_host *local = local_of(host);
	struct in_addr checked;

	if (*wanted->address)
		address = wanted->address;
	if (*wanted->interface)
		interface = wanted->interface;
	if (inet_pton(AF_INET, address, &checked) != 1)
		return reason_set(
			reason,
			"[%s] address = %s: a local host takes an IPv4 address as 198.18.0.1",
			which, address);
	if (interface[strcspn(interface, " \t/:")])
		return reason_set(reason, "[%s] interface = %s: no blank, '/' or ':' is allowed",
				  which, interface);
	snprintf(host->address, sizeof(host->address), "%s", address);
	snprintf(local->interface, sizeof(local->interface), "%s", interface);
	return 0;
}

/* What would let one cell speak to the next (cached path metrics) or add traffic of its own (IPv6).
 * A kernel may be built without either, then there is nothing to turn off. */
static void make_quiet(struct host *host)
{
	host_write_file(host, "/proc/sys/net/ipv4/tcp_no_metrics_save", "1");
	host_write_file(host, "/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
	host_write_file(host, "/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
}

/* Puts both hosts, which use loopback so far, into namespaces. On failure they stay as they were.
 */
static int separate(struct host_pair *pair, struct reason *reason)
{
	struct local_host *board = local_of(pair->board), *peer = local_of(pair->peer);
	struct namespaces namespaces;

	if (namespaces_create(&namespaces, reason))
		return -1;
	board->net_fd = namespaces.net_fd[0];
	peer->net_fd = namespaces.net_fd[1];
	board->user_fd = namespaces.user_fd;
	peer->user_fd = namespaces.user_fd < 0 ? -1 : fcntl(namespaces.user_fd, F_DUPFD_CLOEXEC, 0);
	make_quiet(pair->board);
	make_quiet(pair->peer);
	if (join_by_veth(pair, reason)) {
		if (peer->user_fd >= 0)
			close(peer->user_fd);
		namespaces_close(&namespaces);
		board->net_fd = peer->net_fd = board->user_fd = peer->user_fd = -1;
		return -1;
	}
	pair->path = "veth";
	return 0;
}

static void fall_back(struct host_pair *pair, const struct reason *why)
{
	for (int i = 0; i < 2; i++) {
		struct local_host *local = local_of(i ? pair->peer : pair->board);

		snprintf(local->interface, sizeof(local->interface), "lo");
		snprintf(local->host.address, sizeof(local->host.address), LOOPBACK_ADDRESS);
	}
	pair->path = "loopback";
	reason_set(&pair->note, "loopback instead of two namespaces: %s", why->text);
}

int local_open(const struct host_configuration *board, const struct host_configuration *peer,
	       struct host_pair *pair, struct reason *reason)
{
	unsigned int board_cpu = board->cpu, peer_cpu = peer->cpu;
	struct reason cpu_note = { "" }, why;

	if (local_cpus_choose(&board_cpu, &peer_cpu, &cpu_note, reason))
		return -1;
	pair->board = local_create(board_cpu);
	pair->peer = local_create(peer_cpu);
	if (!pair->board || !pair->peer) {
		reason_no_memory(reason);
		goto fail;
	}
	if (name_end(pair->board, "board", board, BOARD_ADDRESS, "board0", reason) ||
	    name_end(pair->peer, "peer", peer, PEER_ADDRESS, "peer0", reason))
		goto fail;
	if (separate(pair, &why))
		fall_back(pair, &why);
	if (*cpu_note.text && *pair->note.text)
		reason_prefix(&pair->note, "%s", cpu_note.text);
	else if (*cpu_note.text)
		pair->note = cpu_note;
	return 0;
fail:
	hosts_close(pair);
	return -1;
}
