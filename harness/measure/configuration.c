/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Configuration: the tables of sections and keys, and what each kind of value may be. A new key is
 * one row; configuration_file.c brings the lines.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copylib/copylib.h"
#include "harness/board/machine.h"
#include "harness/measure/configuration.h"
#include "harness/measure/configuration_keys.h"
#include "harness/measure/random.h"

#define IN_RUN(member)		     offsetof(struct configuration, member)
#define IN_HOST(member)		     offsetof(struct host_configuration, member)
#define IN_TEST(member)		     offsetof(struct test_configuration, member)
#define TEXT_SIZE(structure, member) sizeof(((structure *)NULL)->member)

#define IN_MACHINE(member)   offsetof(struct machine_configuration, member)
#define MACHINE_SIZE(member) TEXT_SIZE(struct machine_configuration, member)

#define MTU_MIN 576
#define MTU_MAX 65535
/* The UDP header of iperf3's with 64-bit counters, and what an IPv4 datagram can carry. */
#define UDP_LENGTH_MIN 16
#define UDP_LENGTH_MAX 65507
#define TCP_LENGTH_MAX (1024 * 1024)
#define RATE_MAX       1e12

static const struct configuration_key run_keys[] = {
	{ "name", VALUE_NAME, IN_RUN(name), 1, TEXT_SIZE(struct configuration, name) },
	{ "columns", VALUE_COLUMNS, 0, 0, 0 },
	{ "tests", VALUE_TESTS, 0, 0, 0 },
	{ "runs", VALUE_NUMBER, IN_RUN(runs), 1, CONFIGURATION_RUNS_MAX },
	{ "seconds", VALUE_NUMBER, IN_RUN(seconds), 1, 3600 },
	{ "omit", VALUE_NUMBER, IN_RUN(omit), 0, 60 },
	{ "seed", VALUE_SEED, IN_RUN(seed), 0, 0 },
	{ "congestion", VALUE_NAME, IN_RUN(congestion), 1,
	  TEXT_SIZE(struct configuration, congestion) },
	{ NULL, 0, 0, 0, 0 },
};

static const struct configuration_key host_keys[] = {
	{ "host", VALUE_TEXT, IN_HOST(host), 1, TEXT_SIZE(struct host_configuration, host) },
	{ "interface", VALUE_TEXT, IN_HOST(interface), 0,
	  TEXT_SIZE(struct host_configuration, interface) },
	{ "address", VALUE_TEXT, IN_HOST(address), 0,
	  TEXT_SIZE(struct host_configuration, address) },
	{ "cpu", VALUE_NUMBER, IN_HOST(cpu), 0, 1023 },
	{ NULL, 0, 0, 0, 0 },
};

static const struct configuration_key qemu_keys[] = {
	{ "folder", VALUE_TEXT, IN_MACHINE(folder), 1, MACHINE_SIZE(folder) },
	{ "kernel", VALUE_TEXT, IN_MACHINE(kernel), 1, MACHINE_SIZE(kernel) },
	{ "cpu", VALUE_TEXT, IN_MACHINE(cpu), 1, MACHINE_SIZE(cpu) },
	{ "nic", VALUE_NAME, IN_MACHINE(nic), 1, MACHINE_SIZE(nic) },
	{ "cores", VALUE_NUMBER, IN_MACHINE(cores), 1, MACHINE_CORES_MAX },
	{ "memory", VALUE_NUMBER, IN_MACHINE(memory_mib), MACHINE_MEMORY_MIB_MIN,
	  MACHINE_MEMORY_MIB_MAX },
	{ NULL, 0, 0, 0, 0 },
};

static const struct configuration_key tcp_keys[] = {
	{ "mtu_board", VALUE_NUMBER, IN_TEST(mtu_board), MTU_MIN, MTU_MAX },
	{ "mtu_peer", VALUE_NUMBER, IN_TEST(mtu_peer), MTU_MIN, MTU_MAX },
	{ "length", VALUE_NUMBER, IN_TEST(length), 0, TCP_LENGTH_MAX },
	{ "rate", VALUE_RATE, IN_TEST(rate_bits_per_s), 0, 0 },
	{ NULL, 0, 0, 0, 0 },
};

static const struct configuration_key udp_keys[] = {
	{ "mtu_board", VALUE_NUMBER, IN_TEST(mtu_board), MTU_MIN, MTU_MAX },
	{ "mtu_peer", VALUE_NUMBER, IN_TEST(mtu_peer), MTU_MIN, MTU_MAX },
	{ "length", VALUE_NUMBER, IN_TEST(length), UDP_LENGTH_MIN, UDP_LENGTH_MAX },
	{ "rate", VALUE_RATE, IN_TEST(rate_bits_per_s), 0, 0 },
	{ NULL, 0, 0, 0, 0 },
};

const struct configuration_section configuration_sections[CONFIGURATION_SECTIONS] = {
	{ "run", 0, run_keys },
	{ "board", IN_RUN(board), host_keys },
	{ "peer", IN_RUN(peer), host_keys },
	{ "qemu", IN_RUN(board.machine), qemu_keys },
	{ "tcp-recv", IN_RUN(test[0]), tcp_keys },
	{ "tcp-send", IN_RUN(test[1]), tcp_keys },
	{ "udp-send", IN_RUN(test[2]), udp_keys },
	{ "udp-recv", IN_RUN(test[3]), udp_keys },
	{ "expect", 0, NULL },
};

/* What stock iperf3 does, each variant, and the first variant once more for the noise. */
static void default_columns(struct configuration *configuration)
{
	struct reason ignored; /* the registry's own names are good */
	size_t count = 0;

	column_parse("iperf3", &configuration->columns[count++], &ignored);
	for (size_t i = 0; i < copy_variant_count() && count + 1 < CONFIGURATION_COLUMNS_MAX; i++)
		if (copy_variant_at(i)->memcpy && copy_variant_runs_here(copy_variant_at(i)))
			column_parse(copy_variant_at(i)->name, &configuration->columns[count++],
				     &ignored);
	column_parse("libc again", &configuration->columns[count++], &ignored);
	configuration->column_count = count;
}

void configuration_default(struct configuration *configuration)
{
	static const struct machine_configuration machine = {
		.folder = BOARD_FOLDER,
		.kernel = MACHINE_DEFAULT_KERNEL,
		.cpu = MACHINE_DEFAULT_CPU,
		.nic = MACHINE_DEFAULT_NIC,
		.cores = MACHINE_DEFAULT_CORES,
		.memory_mib = MACHINE_DEFAULT_MEMORY_MIB,
	};

	memset(configuration, 0, sizeof(*configuration));
	snprintf(configuration->name, sizeof(configuration->name), "net");
	snprintf(configuration->congestion, sizeof(configuration->congestion), "cubic");
	default_columns(configuration);
	for (int i = 0; i < TEST_KINDS; i++) {
		configuration->tests[i] = i;
		configuration->test[i].mtu_board = 1500;
		configuration->test[i].mtu_peer = 1500;
		configuration->test[i].length = test_kinds[i].udp ? 1448 : 0;
	}
	configuration->test_count = TEST_KINDS;
	configuration->runs = 3;
	configuration->seconds = 2;
	snprintf(configuration->board.host, sizeof(configuration->board.host), "local");
	snprintf(configuration->peer.host, sizeof(configuration->peer.host), "local");
	configuration->board.machine = machine;
	configuration->board.cpu = 1;
	configuration->peer.cpu = 0;
}

int configuration_check(const struct configuration *configuration, struct reason *reason)
{
	for (size_t i = 0; i < configuration->column_count; i++) {
		const char *id = configuration->columns[i].id;
		size_t length = column_again_length(id);
		bool found = !length;

		for (size_t j = 0; j < configuration->column_count && !found; j++)
			found = strlen(configuration->columns[j].id) == length &&
				!strncmp(configuration->columns[j].id, id, length);
		if (!found)
			return reason_set(reason,
					  "columns: \"%s\" is there without what it repeats; add "
					  "the column \"%.*s\"",
					  id, (int)length, id);
	}
	return 0;
}

/* A whole number without sign or anything behind it. */
static int parse_whole(const char *text, uint64_t low, uint64_t high, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	*number = strtoull(text, &end, 10);
	if (errno || *end || *number < low || *number > high)
		return -1;
	return 0;
}

static int set_rate(uint64_t *rate, const char *text, struct reason *reason)
{
	static const struct {
		char letter;
		double factor;
	} suffixes[] = { { '\0', 1 }, { 'K', 1e3 }, { 'M', 1e6 }, { 'G', 1e9 } };
	char *end;
	double number = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;

	for (size_t i = 0; number >= 0 && i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (*end != suffixes[i].letter || (*end && end[1]))
			continue;
		if (number * suffixes[i].factor > RATE_MAX)
			break;
		*rate = (uint64_t)llround(number * suffixes[i].factor);
		return 0;
	}
	return reason_set(reason,
			  "\"%s\" is no rate: bits/s as in 0 (no limit), 250000000, 1000M or 2.5G, "
			  "at most 1000G",
			  text);
}

/* Names become file names and arguments of programs, so they are kept plain. */
static int set_name(char *member, size_t size, const char *text, struct reason *reason)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !(i && strchr("-_.", text[i])))
			length = 0;
	if (!length || length >= size)
		return reason_set(reason,
				  "\"%s\" is no name: 1 to %zu letters, digits, '-', '_' and '.', "
				  "the first a letter or digit",
				  text, size - 1);
	memcpy(member, text, length + 1);
	return 0;
}

static int set_text(char *member, size_t size, bool required, const char *text,
		    struct reason *reason)
{
	if (strlen(text) >= size || (required && !*text))
		return reason_set(reason, "\"%s\": %d to %zu characters are allowed", text,
				  required ? 1 : 0, size - 1);
	snprintf(member, size, "%s", text);
	return 0;
}

static int add_column(struct configuration *configuration, const char *item, struct reason *reason)
{
	struct column column;

	if (configuration->column_count == CONFIGURATION_COLUMNS_MAX)
		return reason_set(reason, "more than %d columns", CONFIGURATION_COLUMNS_MAX);
	if (column_parse(item, &column, reason))
		return -1;
	for (size_t i = 0; i < configuration->column_count; i++)
		if (!strcmp(configuration->columns[i].id, column.id))
			return reason_set(
				reason,
				"%s is there twice; a second column of the same is \"%s again\"",
				column.id, column.id);
	configuration->columns[configuration->column_count++] = column;
	return 0;
}

static int add_test(struct configuration *configuration, const char *item, struct reason *reason)
{
	int kind = test_kind_find(item, reason);

	if (kind < 0)
		return -1;
	for (size_t i = 0; i < configuration->test_count; i++)
		if (configuration->tests[i] == kind)
			return reason_set(reason, "%s is there twice", item);
	configuration->tests[configuration->test_count++] = kind;
	return 0;
}

/* Calls add for each item between commas; an empty one is allowed at the end, for lists of several
 * lines. */
static int add_list(struct configuration *configuration, const char *text,
		    int (*add)(struct configuration *, const char *, struct reason *),
		    struct reason *reason)
{
	char item[256];

	for (;;) {
		size_t length;

		text += strspn(text, " \t");
		if (!*text)
			return 0;
		length = strcspn(text, ",");
		if (length >= sizeof(item))
			return reason_set(reason, "\"%.40s...\" is too long for an item of a list",
					  text);
		memcpy(item, text, length);
		while (length && isspace((unsigned char)item[length - 1]))
			length--;
		item[length] = '\0';
		if (add(configuration, item, reason))
			return -1;
		text += strcspn(text, ",");
		text += *text == ',';
	}
}

static int set_list(struct configuration *configuration, const struct configuration_key *key,
		    const char *text, bool append, struct reason *reason)
{
	bool columns = key->kind == VALUE_COLUMNS;
	size_t *count = columns ? &configuration->column_count : &configuration->test_count;

	if (!append)
		*count = 0;
	if (add_list(configuration, text, columns ? add_column : add_test, reason))
		return -1;
	return *count ? 0 : reason_set(reason, "an empty list");
}

int configuration_set_key(struct configuration *configuration,
			  const struct configuration_section *section,
			  const struct configuration_key *key, const char *value, bool append,
			  struct reason *reason)
{
	char *member = (char *)configuration + section->offset + key->offset;
	uint64_t number;

	if (append && key->kind != VALUE_COLUMNS && key->kind != VALUE_TESTS)
		return reason_set(reason, "\"%s\" continues a value that has one line only", value);
	switch (key->kind) {
	case VALUE_NUMBER:
		if (parse_whole(value, key->low, key->high, &number))
			return reason_set(reason, "\"%s\" is no whole number of %u to %u", value,
					  key->low, key->high);
		*(unsigned int *)member = (unsigned int)number;
		return 0;
	case VALUE_SEED:
		if (parse_whole(value, 0, RANDOM_SEED_MAX, (uint64_t *)member))
			return reason_set(
				reason,
				"\"%s\" is no seed: a whole number of 0 (taken from the time) "
				"to %llu",
				value, (unsigned long long)RANDOM_SEED_MAX);
		return 0;
	case VALUE_RATE:
		return set_rate((uint64_t *)member, value, reason);
	case VALUE_NAME:
		return set_name(member, key->high, value, reason);
	case VALUE_TEXT:
		return set_text(member, key->high, key->low > 0, value, reason);
	case VALUE_COLUMNS:
	case VALUE_TESTS:
		return set_list(configuration, key, value, append, reason);
	}
	return reason_set(reason, "no such kind of value");
}

const struct configuration_section *configuration_find_section(const char *name,
							       struct reason *reason)
{
	for (int i = 0; i < CONFIGURATION_SECTIONS; i++)
		if (!strcmp(name, configuration_sections[i].name))
			return &configuration_sections[i];
	reason_set(reason, "no section [%s]; there are:", name);
	for (int i = 0; i < CONFIGURATION_SECTIONS; i++) {
		size_t used = strlen(reason->text);

		snprintf(reason->text + used, sizeof(reason->text) - used, " [%s]",
			 configuration_sections[i].name);
	}
	return NULL;
}

const struct configuration_key *configuration_find_key(const struct configuration_section *section,
						       const char *name, struct reason *reason)
{
	for (const struct configuration_key *key = section->keys; key->name; key++)
		if (!strcmp(name, key->name))
			return key;
	reason_set(reason, "[%s] has no key \"%s\"; it has:", section->name, name);
	for (const struct configuration_key *key = section->keys; key->name; key++) {
		size_t used = strlen(reason->text);

		snprintf(reason->text + used, sizeof(reason->text) - used, "%s %s",
			 key == section->keys ? "" : ",", key->name);
	}
	return NULL;
}

int configuration_set(struct configuration *configuration, const char *section_name,
		      const char *key_name, const char *value, struct reason *reason)
{
	const struct configuration_section *section =
		configuration_find_section(section_name, reason);
	const struct configuration_key *key;

	if (!section)
		return -1;
	key = configuration_find_key(section, key_name, reason);
	return key ? configuration_set_key(configuration, section, key, value, false, reason) : -1;
}
