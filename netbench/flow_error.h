/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which errors of a read or a write end a flow, and which tell of one datagram alone. */
#ifndef NETBENCH_FLOW_ERROR_H
#define NETBENCH_FLOW_ERROR_H

#include <stdbool.h>

struct flow_config;

/** Does a flow of that kind go on after this errno? Over TCP after none. */
bool flow_error_passes(const struct flow_config *config, int error);

#endif
