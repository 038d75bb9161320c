/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Local hosts: board and peer on this machine, each in a network namespace of its own, joined by a
 * veth pair. Nothing of it has a name outside, so nothing is left behind. Where the machine refuses
 * namespaces, both use its loopback instead, and the pair's note says so.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/host/local.h"
#include "harness/host/local_cpus.h"
#include "harness/host/namespace.h"
#include "harness/host/process.h"

#define SETUP_LIMIT_NS (10 * NS_PER_S)

int local_enter(const void *context)
{
	const struct local_host *local = context;

	return namespace_enter(local->user_fd, local->net_fd);
}

static void local_close(struct host *host)
{
	local_take_back(host);
	free(host);
}

static int local_start(struct host *host, const char *const *argv, struct host_process **process,
		       struct reason *reason)
{
	const struct process_options options = {
		.argv = argv, .cpu = (int)host->cpu, .enter = local_enter, .context = host
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

struct host *local_create(unsigned int cpu)
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
	snprintf(local->host.address, sizeof(local->host.address), LOCAL_LOOPBACK_ADDRESS);
	return &local->host;
}

/* Enters the board's namespace, and keeps the peer's open for the program that is exec'd. */
static int enter_with_other(const void *context)
{
	const struct host_pair *pair = context;

	if (fcntl(local_of(pair->peer)->net_fd, F_SETFD, 0))
		return errno;
	return local_enter(local_of(pair->board));
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
		return reason_prefix(reason, "package iproute2");
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

int local_run_ip(const struct local_host *local, const char *commands, struct reason *reason)
{
	return run_ip(local_enter, local, commands, reason);
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
	return local_run_ip(peer, commands, reason);
}

int local_name_end(struct host *host, const char *which, const struct host_configuration *wanted,
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

void local_put_into(struct host *host, int user_fd, int net_fd)
{
	local_of(host)->user_fd = user_fd;
	local_of(host)->net_fd = net_fd;
	make_quiet(host);
}

void local_take_back(struct host *host)
{
	struct local_host *local = local_of(host);

	if (local->user_fd >= 0)
		close(local->user_fd);
	if (local->net_fd >= 0)
		close(local->net_fd);
	local->user_fd = -1;
	local->net_fd = -1;
}

/* Puts both hosts, which use loopback so far, into namespaces. On failure they stay as they were.
 */
static int separate(struct host_pair *pair, struct reason *reason)
{
	struct namespaces namespaces;

	if (namespaces_create(&namespaces, reason))
		return -1;
	local_put_into(pair->board, namespaces.user_fd, namespaces.net_fd[0]);
	local_put_into(pair->peer,
		       namespaces.user_fd < 0 ? -1 : fcntl(namespaces.user_fd, F_DUPFD_CLOEXEC, 0),
		       namespaces.net_fd[1]);
	if (join_by_veth(pair, reason)) {
		local_take_back(pair->board);
		local_take_back(pair->peer);
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
		snprintf(local->host.address, sizeof(local->host.address), LOCAL_LOOPBACK_ADDRESS);
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
	if (local_name_end(pair->board, "board", board, LOCAL_BOARD_ADDRESS, "board0", reason) ||
	    local_name_end(pair->peer, "peer", peer, LOCAL_PEER_ADDRESS, "peer0", reason))
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
