/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command line of `netbench serve`. */
#ifndef NETBENCH_SERVE_OPTIONS_H
#define NETBENCH_SERVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "netbench/engine/engine.h"

struct serve_options {
	const char *bind_address; /* NULL: all */
	uint16_t port;
	uint16_t echo_port;   /* 0: no echo */
	bool echo_port_given; /* else it is the one behind port */
	const char *engine;   /* "auto", or a name */
	struct engine_options engine_options;
	const char *json; /* file name, "-": standard output, NULL: none */
	bool one_off;
	bool quiet;
};

enum serve_options_result {
	SERVE_OPTIONS_RUN,
	SERVE_OPTIONS_HELP,  /* help was printed */
	SERVE_OPTIONS_WRONG, /* what is wrong was printed */
};

/** Reads argv[1 .. argc), argv[0] being "serve". */
enum serve_options_result serve_options_read(int argc, char **argv, struct serve_options *options);

#endif
