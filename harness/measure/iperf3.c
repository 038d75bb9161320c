/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * iperf3: of the client's JSON, the end's sum_received is read, which has the receiver's own bytes
 * and time for TCP and UDP in both directions. (For UDP the older "sum" beside it counts what was
 * sent.) Lost datagrams are taken as counts: lost_percent has changed its base between versions.
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "harness/measure/iperf3.h"

/* Appends "OPTION NUMBER", the number's digits kept in the command's text. */
static void add_number(struct iperf3_command *command, size_t *count, size_t *used,
		       const char *option, unsigned long long number)
{
	char *digits = command->text + *used;

	*used += (size_t)snprintf(digits, sizeof(command->text) - *used, "%llu", number) + 1;
	command->argv[(*count)++] = option;
	command->argv[(*count)++] = digits;
}

void iperf3_client_command(struct iperf3_command *command, const char *program,
			   const struct configuration *configuration, int test, const char *address,
			   unsigned int port)
{
	const struct test_configuration *wanted = &configuration->test[test];
	const struct test_kind *kind = &test_kinds[test];
	size_t count = 0, used = 0;

	command->argv[count++] = program;
	command->argv[count++] = "-J";
	command->argv[count++] = "-c";
	command->argv[count++] = address;
	add_number(command, &count, &used, "-p", port);
	add_number(command, &count, &used, "-t", configuration->seconds);
	if (configuration->omit)
		add_number(command, &count, &used, "-O", configuration->omit);
	if (kind->udp)
		command->argv[count++] = "-u";
	if (kind->reverse)
		command->argv[count++] = "-R";
	if (!kind->udp) {
		command->argv[count++] = "-C";
		command->argv[count++] = configuration->congestion;
	}
	if (wanted->length)
		add_number(command, &count, &used, "-l", wanted->length);
	if (kind->udp || wanted->rate_bits_per_s)
		add_number(command, &count, &used, "-b", wanted->rate_bits_per_s);
	command->argv[count] = NULL;
}

static double number_in(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : -1;
}

static int read_figures(const json_t *end, bool udp, struct iperf3_figures *figures,
			struct reason *reason)
{
	const json_t *received = json_object_get(end, "sum_received");
	const char *congestion = json_string_value(json_object_get(end, "sender_tcp_congestion"));

	if (!json_is_object(received))
		return reason_set(reason, "the client's JSON has no end.sum_received; iperf3 3.10 "
					  "or later is needed");
	figures->received_bytes = number_in(received, "bytes");
	figures->received_s = number_in(received, "seconds");
	if (figures->received_bytes < 0 || figures->received_s < 0)
		return reason_set(reason,
				  "the client's end.sum_received has no bytes or no seconds");
	if (figures->received_bytes == 0 || figures->received_s == 0)
		return reason_set(reason, "no data has arrived");
	snprintf(figures->congestion, sizeof(figures->congestion), "%s",
		 congestion ? congestion : "");
	if (udp) {
		double lost = json_number_value(json_object_get(received, "lost_packets"));
		double packets = number_in(received, "packets");

		if (packets <= 0)
			return reason_set(reason, "the client's end.sum_received has no packets");
		figures->loss_percent = lost > packets ? -1 : lost > 0 ? 100 * lost / packets : 0;
	}
	return 0;
}

int iperf3_read_client(const char *json, bool udp, struct iperf3_figures *figures,
		       struct reason *reason)
{
	json_error_t problem;
	json_t *root;
	const char *error;
	int result;

	memset(figures, 0, sizeof(*figures));
	if (!*json)
		return reason_set(reason, "the client printed nothing");
	root = json_loads(json, 0, &problem);
	if (!root)
		return reason_set(reason, "the client's JSON cannot be read: line %d: %s",
				  problem.line, problem.text);
	error = json_string_value(json_object_get(root, "error"));
	if (error)
		result = reason_set(reason, "iperf3: %s", error);
	else
		result = read_figures(json_object_get(root, "end"), udp, figures, reason);
	json_decref(root);
	return result;
}

/* Before 3.14, client and server do not tell each other what was lost in these seconds. */
bool iperf3_tells_loss_after_omit(const char *version)
{
	unsigned int major, minor;

	return sscanf(version, "%u.%u", &major, &minor) == 2 &&
	       (major > 3 || (major == 3 && minor >= 14));
}

void iperf3_read_version(const char *text, char *version, size_t size)
{
	static const char prefix[] = "iperf ";
	size_t length;

	snprintf(version, size, "%s", "");
	if (strncmp(text, prefix, strlen(prefix)))
		return;
	text += strlen(prefix);
	length = strcspn(text, " \n");
	if (length < size)
		snprintf(version, size, "%.*s", (int)length, text);
}
