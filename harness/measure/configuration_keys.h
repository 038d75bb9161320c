/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The sections and keys of a configuration, shared by what reads a file and what checks a value.
 */
#ifndef HARNESS_MEASURE_CONFIGURATION_KEYS_H
#define HARNESS_MEASURE_CONFIGURATION_KEYS_H

#include <stdbool.h>

#include "harness/measure/configuration.h"

enum value_kind {
	VALUE_NUMBER,  /* unsigned int, low .. high */
	VALUE_SEED,    /* uint64_t */
	VALUE_RATE,    /* uint64_t, bits/s */
	VALUE_NAME,    /* char [high], plain characters only */
	VALUE_TEXT,    /* char [high]; low 1: not empty */
	VALUE_COLUMNS, /* the list of columns */
	VALUE_TESTS,   /* the list of tests */
};

struct configuration_key {
	const char *name;
	enum value_kind kind;
	size_t offset;		/* of its member, from its section's */
	unsigned int low, high; /* range or size, by kind */
};

struct configuration_section {
	const char *name;
	size_t offset; /* from the start of struct configuration */
	const struct configuration_key
		*keys; /* up to one without a name; NULL: any key, none of ours */
};

#define CONFIGURATION_SECTIONS 9
extern const struct configuration_section configuration_sections[CONFIGURATION_SECTIONS];

/** By name; NULL with the valid ones in the reason. */
const struct configuration_section *configuration_find_section(const char *name,
							       struct reason *reason);
const struct configuration_key *configuration_find_key(const struct configuration_section *section,
						       const char *name, struct reason *reason);

/** Sets a value, or with append goes on with a list. Returns 0, or -1 with what is allowed. */
int configuration_set_key(struct configuration *configuration,
			  const struct configuration_section *section,
			  const struct configuration_key *key, const char *value, bool append,
			  struct reason *reason);

#endif
