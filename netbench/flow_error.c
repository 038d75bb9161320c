/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which errors of a read or a write end a flow. See flow_error.h. */
#include "netbench/flow_error.h"

#include <errno.h>

#include "netbench/flow.h"

/* What ICMP messages, a full queue or a firewall rule make of a datagram socket's next call. */
static bool is_network_error(int error)
{
	switch (error) {
	case ECONNREFUSED:
	case EHOSTUNREACH:
	case EHOSTDOWN:
	case ENETUNREACH:
	case ENETDOWN:
	case ENONET:
	case ENOPROTOOPT:
	case EPROTO:
	case EACCES:
	case EPERM:
	case EMSGSIZE:
	case ENOBUFS:
	case ENOMEM:
		return true;
	default:
		return false;
	}
}

/*
 * An answer to a strange sender, or from an address that is gone, is the loss of that answer alone.
 */
static bool is_answer_error(int error)
{
	return error == EINVAL || error == EADDRNOTAVAIL || error == EAFNOSUPPORT;
}

bool flow_error_passes(const struct flow_config *config, int error)
{
	return config->udp &&
	       (is_network_error(error) || (config->role == FLOW_ECHO && is_answer_error(error)));
}
