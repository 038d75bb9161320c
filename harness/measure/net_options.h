/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The options of harness net, laid over its configuration file.
 */
#ifndef HARNESS_MEASURE_NET_OPTIONS_H
#define HARNESS_MEASURE_NET_OPTIONS_H

#include <limits.h>
#include <stdbool.h>

#include "harness/measure/configuration.h"

struct net_options {
	const char *configuration_path;
	char installed[PATH_MAX]; /* what it points to if the default one is the installed one */
	const char *out;	  /* folder for the results; NULL: results/NAME-TIME */
	const char *json_path; /* a second copy of the result, "-": standard output; NULL: none */
	bool quick;
	bool cpu;
	bool count; /* asked for: no times */
	bool symbols;
};

/**
 * Reads the command line and the configuration file that it names. Returns 0 to go on, or -1 to end
 * with *status, everything having been said.
 */
int net_options_read(int argc, char **argv, struct net_options *options,
		     struct configuration *configuration, int *status);

#endif
