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
			  "with local (two network namespaces on this machine)",
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

int host_start(struct host *host, const char *const *argv, struct host_process **process,
	       struct reason *reason)
{
	return host->operations->start(host, argv, process, reason);
}
