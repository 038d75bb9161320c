/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Host: finds the kind that both hosts ask for, and passes calls on to it. */
#include <stdio.h>
#include <string.h>

#include "harness/host/host.h"

/* A kind opens both ends, since what joins them belongs to neither. */
static const struct host_kind {
	const char *board, *peer;
	int (*open)(const struct host_configuration *board, const struct host_configuration *peer,
		    struct host_pair *pair, struct reason *reason);
} kinds[] = {
	{ "local", "local", local_open },
	{ "qemu", "local", qemu_open },
	{ "qemu", "qemu", qemu_open_inside },
};

int hosts_open(const struct host_configuration *board, const struct host_configuration *peer,
	       struct host_pair *pair, struct reason *reason)
{
	memset(pair, 0, sizeof(*pair));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(board->host, kinds[i].board) && !strcmp(peer->host, kinds[i].peer))
			return kinds[i].open(board, peer, pair, reason);
	return reason_set(reason,
			  "[board] host = %s with [peer] host = %s: not available; there is: local "
			  "with local (two network namespaces on this machine), qemu with local "
			  "(the virtual board), qemu with qemu (its peer inside too)",
			  board->host, peer->host);
}

void hosts_close(struct host_pair *pair)
{
	if (pair->board)
		pair->board->operations->close(pair->board);
	if (pair->peer)
		pair->peer->operations->close(pair->peer);
	pair->board = NULL;
	pair->peer = NULL;
}

const char *host_address(const struct host *host)
{
	return host->address;
}

unsigned int host_cpu(const struct host *host)
{
	return host->cpu;
}

bool host_is_this_machine(const struct host *host)
{
	return host->is_this_machine;
}

unsigned int host_slowness(const struct host *host)
{
	return host->slowness ? host->slowness : 1;
}

unsigned int host_free_port(struct host *host, struct reason *reason)
{
	return host->operations->free_port(host, reason);
}

int host_set_mtu(struct host *host, unsigned int mtu_bytes, struct reason *reason)
{
	return host->operations->set_mtu(host, mtu_bytes, reason);
}

unsigned int host_mtu(struct host *host)
{
	return host->operations->mtu(host);
}

int host_check_congestion(struct host *host, const char *name, struct reason *reason)
{
	return host->operations->check_congestion(host, name, reason);
}

ssize_t host_read_file(struct host *host, const char *path, char *text, size_t size)
{
	return host->operations->read_file(host, path, text, size);
}

int host_write_file(struct host *host, const char *path, const char *text)
{
	return host->operations->write_file(host, path, text);
}

int host_use_kernel(struct host *host, const char *name, struct reason *reason)
{
	if (!host->operations->use_kernel)
		return reason_set(reason,
				  "kernel %s: only a virtual board changes its kernel: "
				  "harness net configs/qemu.ini",
				  name);
	return host->operations->use_kernel(host, name, reason);
}

int host_recover(struct host *host, struct reason *reason)
{
	return host->operations->recover ? host->operations->recover(host, reason) : 0;
}

bool host_counts(const struct host *host)
{
	return host->operations->count_begin;
}

int host_count_begin(struct host *host, struct reason *reason)
{
	return host->operations->count_begin(host, reason);
}

int host_count_end(struct host *host, struct counts *counts, struct reason *reason)
{
	return host->operations->count_end(host, counts, reason);
}

const struct symbols *host_symbols(const struct host *host)
{
	return host->operations->symbols(host);
}

int host_start(struct host *host, const char *const *argv, struct host_process **process,
	       struct reason *reason)
{
	return host->operations->start(host, argv, process, reason);
}
