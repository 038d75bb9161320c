/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The virtual board as a host: qemu-system-riscv64 with SSH into it. Its peer is outside, in a
 * network namespace that a tap device joins to the board's NIC, or inside, in a namespace of the
 * board's own kernel behind veth. QEMU runs in the peer's namespace, so that nothing of it is to be
 * seen from elsewhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/board/machine.h"
#include "harness/host/counter.h"
#include "harness/host/interface.h"
#include "harness/host/local.h"
#include "harness/host/namespace.h"
#include "harness/host/ssh.h"
#include "harness/measure/counts.h"

#define SSH_PORT    2222
#define SSH_PORTS   200 /* that are tried where others use the network too */
#define BOARD_FILES "/run/netbench"
/* By its path: busybox's shell takes its own ip otherwise, which knows no namespaces. */
#define IP	    "/usr/bin/ip"
#define PEER_PREFIX IP " netns exec peer"
#define WIRE	    "wire"
#define TAP	    "tap0"
#define PATH_SIZE   64
#define SLOWNESS \
	8 /* our seconds that one of the board may take, where its time goes by instructions */

struct qemu_board {
	struct host host;
	struct machine_configuration configuration;
	char kernel[64]; /* that runs; empty: none */
	char console[BOARD_PATH_SIZE];
	char path[PATH_SIZE]; /* of the pair, in words */
	bool peer_is_inside;
	const struct local_host *outside; /* the namespace that QEMU is in; NULL: ours */
	unsigned int ssh_port;
	char scratch[64]; /* a folder in which only we are: the counter's socket and file */
	struct symbols symbols;
	struct machine *machine;
	struct host *board; /* over SSH, anew with each boot */
	struct qemu_peer *peer;
};

/* A peer inside, which is booted with its board. */
struct qemu_peer {
	struct host host;
	struct host *inner;
};

static struct qemu_board *board_of(struct host *host)
{
	return (struct qemu_board *)host; /* its first member */
}

/* -- booting -------------------------------------------------------------------------------- */

/* The board's side of the path, and for a peer inside both. */
static int join(struct qemu_board *qemu, const char *peer_address, struct reason *reason)
{
	char command[512];
	int status;

	if (qemu->peer_is_inside)
		snprintf(command, sizeof(command),
			 "mkdir -p /var/run && " IP " netns add peer && " IP " link add " WIRE
			 " type veth peer name " WIRE " netns peer && " PEER_PREFIX
			 " sh -c 'ip link set lo up && "
			 "ip address add %s peer %s dev " WIRE " && ip link set " WIRE " up' && "
			 "ip address add %s peer %s dev " WIRE " && ip link set " WIRE " up",
			 peer_address, qemu->host.address, qemu->host.address, peer_address);
	else
		snprintf(command, sizeof(command),
			 "ip address add %s peer %s dev " WIRE " && ip link set " WIRE " up",
			 qemu->host.address, peer_address);
	status = ssh_run(machine_ssh(qemu->machine), command, NULL, NULL, reason);
	if (status > 0)
		reason_set(reason,
			   "the board cannot set up its side of the path; has its kernel "
			   "a driver for %s?",
			   qemu->configuration.nic);
	return status ? -1 : 0;
}

/* The two have one address each, whatever the kernel. */
static const char *peer_address_of(const struct qemu_board *qemu)
{
	return qemu->peer ? qemu->peer->host.address : qemu->outside->host.address;
}

static void shut_down(struct qemu_board *qemu)
{
	free(qemu->board);
	qemu->board = NULL;
	if (qemu->peer) {
		free(qemu->peer->inner);
		qemu->peer->inner = NULL;
	}
	machine_close(qemu->machine);
	qemu->machine = NULL;
	symbols_free(&qemu->symbols);
	*qemu->kernel = '\0';
}

/* A kernel of ours has its System.map beside it; of Debian's only the kernel itself tells. */
static int read_symbols(struct qemu_board *qemu, const char *kernel, struct reason *reason)
{
	char path[BOARD_PATH_SIZE];
	FILE *file;
	int status;

	if (board_path(path, reason, qemu->configuration.folder, "kernel/%s/System.map", kernel))
		return -1;
	file = fopen(path, "re");
	if (!file) {
		if (board_path(path, reason, qemu->scratch, "kallsyms") ||
		    ssh_fetch(machine_ssh(qemu->machine), "/proc/kallsyms", path, reason))
			return -1;
		file = fopen(path, "re");
		unlink(path);
	}
	if (!file)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	status = symbols_read(file, &qemu->symbols, reason);
	fclose(file);
	return status;
}

/* With nobody outside, and one core as QEMU wants it for this, time can follow the instructions:
 * the same run then comes out the same, however busy this machine is.
 */
static bool goes_by_instructions(const struct qemu_board *qemu)
{
	return qemu->peer_is_inside && qemu->configuration.cores == 1;
}

/*
 * The first transfer after a boot takes some 1.6 % more instructions than those that follow, where
 * these differ by 0.4 %: it is made here, and not counted. It may fail; what is measured will tell.
 */
static void warm_up(struct qemu_board *qemu)
{
	struct reason ignored;
	char command[256];

	snprintf(command, sizeof(command),
		 "iperf3 -s -1 >/dev/null & for turn in 1 2 3 4 5; do sleep 0.2; " PEER_PREFIX
		 " iperf3 -c %s -t 1 >/dev/null && break; done; kill $!",
		 qemu->host.address);
	ssh_run(machine_ssh(qemu->machine), command, NULL, NULL, &ignored);
}

static int boot(struct qemu_board *qemu, const char *kernel, struct reason *reason)
{
	char plugin[PATH_MAX + 200];
	const struct machine_options options = {
		.folder = qemu->configuration.folder,
		.kernel = kernel,
		.cpu = qemu->configuration.cpu,
		.cores = qemu->configuration.cores,
		.memory_mib = qemu->configuration.memory_mib,
		.nic = qemu->configuration.nic,
		.tap = qemu->peer_is_inside ? NULL : TAP,
		.console = qemu->console,
		.limit_s = MACHINE_DEFAULT_LIMIT_S,
		.plugin = plugin,
		.by_instructions = goes_by_instructions(qemu),
		.ssh_port = qemu->ssh_port,
		.enter = qemu->outside ? local_enter : NULL,
		.context = qemu->outside,
	};
	const char *folder = BOARD_FILES;

	if (counter_option(qemu->scratch, plugin, sizeof(plugin), reason))
		return -1;
	qemu->machine = machine_start(&options, reason);
	if (!qemu->machine)
		return reason_prefix(reason, "kernel %s", kernel);
	qemu->board = ssh_host_create(machine_ssh(qemu->machine), "", folder, WIRE,
				      qemu->host.address, qemu->host.cpu);
	if (qemu->peer)
		qemu->peer->inner =
			ssh_host_create(machine_ssh(qemu->machine), PEER_PREFIX, folder, WIRE,
					qemu->peer->host.address, qemu->peer->host.cpu);
	if (!qemu->board || (qemu->peer && !qemu->peer->inner))
		reason_no_memory(reason);
	else if (!join(qemu, peer_address_of(qemu), reason) &&
		 !read_symbols(qemu, kernel, reason)) {
		if (goes_by_instructions(qemu))
			warm_up(qemu);
		snprintf(qemu->kernel, sizeof(qemu->kernel), "%s", kernel);
		return 0;
	}
	shut_down(qemu);
	return -1;
}

static int qemu_use_kernel(struct host *host, const char *name, struct reason *reason)
{
	struct qemu_board *qemu = board_of(host);

	if (!strcmp(qemu->kernel, name) && !machine_is_gone(qemu->machine, reason))
		return 0;
	shut_down(qemu);
	return boot(qemu, name, reason);
}

/* An emulated NIC may have fallen silent, or a kernel hang: a boot mends both. */
static int qemu_recover(struct host *host, struct reason *reason)
{
	struct qemu_board *qemu = board_of(host);
	struct reason console = { "" }, why;
	char kernel[sizeof(qemu->kernel)];

	snprintf(kernel, sizeof(kernel), "%s", qemu->kernel);
	if (!*kernel)
		return 0;
	if (qemu->machine && machine_is_gone(qemu->machine, &console)) {
		size_t used = strlen(reason->text);

		snprintf(reason->text + used, sizeof(reason->text) - used, "; %s", console.text);
	}
	shut_down(qemu);
	if (!boot(qemu, kernel, &why))
		return 0;
	*reason = why;
	return -1;
}

static int qemu_count_begin(struct host *host, struct reason *reason)
{
	return counter_begin(board_of(host)->scratch, reason);
}

static int qemu_count_end(struct host *host, struct counts *counts, struct reason *reason)
{
	return counter_end(board_of(host)->scratch, counts, reason);
}

static const struct symbols *qemu_symbols(const struct host *host)
{
	return &((const struct qemu_board *)host)->symbols;
}

/* -- what is passed on to the machine that runs --------------------------------------------- */

static struct host *inner_of(struct host *host);

static unsigned int qemu_free_port(struct host *host, struct reason *reason)
{
	return host_free_port(inner_of(host), reason);
}

static int qemu_set_mtu(struct host *host, unsigned int mtu_bytes, struct reason *reason)
{
	return host_set_mtu(inner_of(host), mtu_bytes, reason);
}

static unsigned int qemu_mtu(struct host *host)
{
	return host_mtu(inner_of(host));
}

static int qemu_check_congestion(struct host *host, const char *name, struct reason *reason)
{
	return host_check_congestion(inner_of(host), name, reason);
}

static ssize_t qemu_read_file(struct host *host, const char *path, char *text, size_t size)
{
	return host_read_file(inner_of(host), path, text, size);
}

static int qemu_write_file(struct host *host, const char *path, const char *text)
{
	return host_write_file(inner_of(host), path, text);
}

static int qemu_start(struct host *host, const char *const *argv, struct host_process **process,
		      struct reason *reason)
{
	return host_start(inner_of(host), argv, process, reason);
}

static void board_close(struct host *host)
{
	struct qemu_board *qemu = board_of(host);

	shut_down(qemu);
	unlink(qemu->console);
	counter_clean(qemu->scratch);
	free(qemu);
}

static void peer_close(struct host *host)
{
	free(host);
}

static const struct host_operations board_operations = {
	.close = board_close,
	.free_port = qemu_free_port,
	.set_mtu = qemu_set_mtu,
	.mtu = qemu_mtu,
	.check_congestion = qemu_check_congestion,
	.read_file = qemu_read_file,
	.write_file = qemu_write_file,
	.start = qemu_start,
	.use_kernel = qemu_use_kernel,
	.recover = qemu_recover,
	.count_begin = qemu_count_begin,
	.count_end = qemu_count_end,
	.symbols = qemu_symbols,
};

static const struct host_operations peer_operations = {
	.close = peer_close,
	.free_port = qemu_free_port,
	.set_mtu = qemu_set_mtu,
	.mtu = qemu_mtu,
	.check_congestion = qemu_check_congestion,
	.read_file = qemu_read_file,
	.write_file = qemu_write_file,
	.start = qemu_start,
};

static struct host *inner_of(struct host *host)
{
	return host->operations == &peer_operations ? ((struct qemu_peer *)host)->inner
						    : board_of(host)->board;
}

/* -- opening -------------------------------------------------------------------------------- */

static int check(const struct host_configuration *board, struct reason *reason)
{
	if (!machine_has_nic(board->machine.nic))
		return reason_set(reason,
				  "[qemu] nic = %s: there is none of that name; there is: %s",
				  board->machine.nic, machine_nics());
	if (board->cpu >= board->machine.cores)
		return reason_set(reason,
				  "[board] cpu = %u: the board has %u of them, from 0 on "
				  "([qemu] cores)",
				  board->cpu, board->machine.cores);
	return 0;
}

static struct qemu_board *create_board(const struct host_configuration *board,
				       struct reason *reason)
{
	struct qemu_board *qemu = calloc(1, sizeof(*qemu));

	if (!qemu) {
		reason_no_memory(reason);
		return NULL;
	}
	qemu->host.operations = &board_operations;
	qemu->host.cpu = board->cpu;
	snprintf(qemu->host.address, sizeof(qemu->host.address), "%s",
		 *board->address ? board->address : LOCAL_BOARD_ADDRESS);
	qemu->configuration = board->machine;
	qemu->ssh_port = SSH_PORT;
	if (counter_make_folder(qemu->scratch, sizeof(qemu->scratch), reason) ||
	    board_path(qemu->console, reason, board->machine.folder, "log/console-%d.log",
		       (int)getpid())) {
		free(qemu);
		return NULL;
	}
	return qemu;
}

/* The peer's namespace, with a tap device that QEMU joins to the board's NIC. */
static int make_outside(struct host *peer, const char *board_address, struct reason *reason)
{
	struct namespaces namespaces;
	char commands[512];

	if (namespaces_create(&namespaces, reason))
		return -1;
	close(namespaces.net_fd[0]);
	local_put_into(peer, namespaces.user_fd, namespaces.net_fd[1]);
	snprintf(commands, sizeof(commands),
		 "link set dev lo up\n"
		 "tuntap add dev " TAP " mode tap vnet_hdr\n"
		 "address add %s peer %s dev " TAP "\n"
		 "link set dev " TAP " up\n",
		 host_address(peer), board_address);
	return local_run_ip(local_of(peer), commands, reason);
}

int qemu_open(const struct host_configuration *board, const struct host_configuration *peer,
	      struct host_pair *pair, struct reason *reason)
{
	struct qemu_board *qemu;

	if (check(board, reason))
		return -1;
	qemu = create_board(board, reason);
	if (!qemu)
		return -1;
	pair->board = &qemu->host;
	pair->peer = local_create(peer->cpu);
	if (!pair->peer) {
		reason_no_memory(reason);
		goto fail;
	}
	if (local_name_end(pair->peer, "peer", peer, LOCAL_PEER_ADDRESS, TAP, reason))
		goto fail;
	if (make_outside(pair->peer, qemu->host.address, reason)) {
		reason_prefix(reason, "the wire between board and peer");
		snprintf(reason->text + strlen(reason->text),
			 sizeof(reason->text) - strlen(reason->text),
			 "\n  it needs user namespaces and /dev/net/tun; without them put the peer "
			 "inside: [peer] host = qemu");
		goto fail;
	}
	qemu->outside = local_of(pair->peer);
	snprintf(qemu->path, sizeof(qemu->path), "QEMU %s, tap", board->machine.nic);
	pair->path = qemu->path;
	if (!boot(qemu, board->machine.kernel, reason))
		return 0;
fail:
	hosts_close(pair);
	return -1;
}

int qemu_open_inside(const struct host_configuration *board, const struct host_configuration *peer,
		     struct host_pair *pair, struct reason *reason)
{
	struct qemu_board *qemu;
	struct qemu_peer *inside;

	if (check(board, reason))
		return -1;
	qemu = create_board(board, reason);
	if (!qemu)
		return -1;
	pair->board = &qemu->host;
	qemu->peer_is_inside = true;
	pair->path = "QEMU, veth inside";
	inside = calloc(1, sizeof(*inside));
	if (!inside) {
		reason_no_memory(reason);
		goto fail;
	}
	inside->host.operations = &peer_operations;
	inside->host.cpu = peer->cpu;
	snprintf(inside->host.address, sizeof(inside->host.address), "%s",
		 *peer->address ? peer->address : LOCAL_PEER_ADDRESS);
	qemu->peer = inside;
	pair->peer = &inside->host;
	if (goes_by_instructions(qemu)) {
		qemu->host.slowness = SLOWNESS;
		inside->host.slowness = SLOWNESS;
		pair->path = "QEMU, veth inside, time by instructions";
	}
	while (!interface_port_is_free("127.0.0.1", qemu->ssh_port))
		if (++qemu->ssh_port == SSH_PORT + SSH_PORTS) {
			reason_set(reason, "no free port of %d to %d for the board's SSH", SSH_PORT,
				   SSH_PORT + SSH_PORTS - 1);
			goto fail;
		}
	if (!boot(qemu, board->machine.kernel, reason))
		return 0;
fail:
	hosts_close(pair);
	return -1;
}
