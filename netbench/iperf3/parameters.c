/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The parameters message. Numbers are read by a table of key, range and error number, so that what
 * is accepted can be seen at a glance.
 */
#include "netbench/iperf3/parameters.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "netbench/iperf3/error.h"
#include "netbench/iperf3/json.h"

#define TCP_BLOCK_BYTES_MAX (1 << 20)
#define UDP_BLOCK_BYTES_MIN 16
#define UDP_BLOCK_BYTES_MAX 65507
#define MSS_MAX		    32767
#define WINDOW_BYTES_MAX    (512 << 20)
#define BURST_BLOCKS_MAX    1000
#define INTEGER_MAX	    (INT64_C(1) << 53) /* what JSON carries exactly */

struct number {
	const char *key;
	int64_t lowest;
	int64_t highest;
	unsigned int error;
	int64_t value; /* on entry: when the key is absent */
};

enum number_index {
	TIME,
	OMIT,
	BYTES,
	BLOCKS,
	STREAMS,
	BLOCK_BYTES,
	MSS,
	WINDOW,
	RATE,
	PACING,
	BURST,
	TYPE_OF_SERVICE,
	NUMBERS,
};

static const struct number numbers_absent[NUMBERS] = {
	[TIME] = { "time", 0, PARAMETERS_TIME_S_MAX, IPERF3_DURATION, 0 },
	[OMIT] = { "omit", 0, PARAMETERS_OMIT_S_MAX, IPERF3_OMIT, 0 },
	[BYTES] = { "num", 0, INTEGER_MAX, IPERF3_RECEIVE_PARAMETERS, 0 },
	[BLOCKS] = { "blockcount", 0, INTEGER_MAX, IPERF3_RECEIVE_PARAMETERS, 0 },
	[STREAMS] = { "parallel", 1, PARAMETERS_STREAMS_MAX, IPERF3_STREAM_COUNT, 1 },
	[BLOCK_BYTES] = { "len", 0, TCP_BLOCK_BYTES_MAX, IPERF3_BLOCK_BYTES, -1 },
	[MSS] = { "MSS", 0, MSS_MAX, IPERF3_MSS, 0 },
	[WINDOW] = { "window", 0, WINDOW_BYTES_MAX, IPERF3_WINDOW_BYTES, 0 },
	[RATE] = { "bandwidth", 0, INTEGER_MAX, IPERF3_RECEIVE_PARAMETERS, 0 },
	[PACING] = { "fqrate", 0, INTEGER_MAX, IPERF3_RECEIVE_PARAMETERS, 0 },
	[BURST] = { "burst", 0, BURST_BLOCKS_MAX, IPERF3_BURST, 0 },
	[TYPE_OF_SERVICE] = { "TOS", 0, 255, IPERF3_TOS, 0 },
};

struct reader {
	const json_t *object;
	char *why;
	size_t why_bytes;
};

static unsigned int wrong_type(const struct reader *reader, const char *key, const char *expected)
{
	snprintf(reader->why, reader->why_bytes, "parameter \"%s\" is not %s", key, expected);
	return IPERF3_RECEIVE_PARAMETERS;
}

static unsigned int read_numbers(const struct reader *reader, struct number *numbers)
{
	memcpy(numbers, numbers_absent, sizeof(numbers_absent));
	for (size_t i = 0; i < NUMBERS; i++) {
		struct number *number = &numbers[i];

		switch (json_get_integer(reader->object, number->key, &number->value)) {
		case JSON_ABSENT:
			break;
		case JSON_WRONG_TYPE:
			return wrong_type(reader, number->key, "a number");
		case JSON_FOUND:
			if (number->value >= number->lowest && number->value <= number->highest)
				break;
			snprintf(reader->why, reader->why_bytes,
				 "parameter \"%s\" is %" PRId64 ", allowed are %" PRId64
				 " to %" PRId64,
				 number->key, number->value, number->lowest, number->highest);
			return number->error;
		}
	}
	return IPERF3_OK;
}

static unsigned int read_switches(const struct reader *reader, struct parameters *parameters,
				  bool *tcp, bool *sctp)
{
	const struct {
		const char *key;
		bool *value;
	} switches[] = {
		{ "tcp", tcp },
		{ "udp", &parameters->udp },
		{ "sctp", sctp },
		{ "reverse", &parameters->reverse },
		{ "bidirectional", &parameters->bidirectional },
		{ "nodelay", &parameters->nodelay },
		{ "udp_counters_64bit", &parameters->udp_counters_64bit },
		{ "dont_fragment", &parameters->dont_fragment },
		{ "get_server_output", &parameters->get_server_output },
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (json_get_switch(reader->object, switches[i].key, switches[i].value) ==
		    JSON_WRONG_TYPE)
			return wrong_type(reader, switches[i].key, "true or false");
	return IPERF3_OK;
}

/** Copies a name that will be logged and handed to the kernel; absent: "". */
static unsigned int read_name(const struct reader *reader, const char *key, char *name)
{
	const char *text = "";

	if (json_get_string(reader->object, key, &text) == JSON_WRONG_TYPE)
		return wrong_type(reader, key, "a string");
	if (strlen(text) >= PARAMETERS_NAME_BYTES) {
		snprintf(reader->why, reader->why_bytes,
			 "parameter \"%s\" is %zu characters long, %d are the most", key,
			 strlen(text), PARAMETERS_NAME_BYTES - 1);
		return IPERF3_RECEIVE_PARAMETERS;
	}
	for (size_t i = 0; text[i]; i++)
		if (!isgraph((unsigned char)text[i])) {
			snprintf(reader->why, reader->why_bytes,
				 "parameter \"%s\" has a character %#x in it", key,
				 (unsigned char)text[i]);
			return IPERF3_RECEIVE_PARAMETERS;
		}
	strcpy(name, text);
	return IPERF3_OK;
}

/** What is right or wrong only together with the protocol. */
static unsigned int check_block_bytes(const struct reader *reader, struct parameters *parameters,
				      int64_t asked)
{
	int64_t lowest = parameters->udp ? UDP_BLOCK_BYTES_MIN : 1;
	int64_t highest = parameters->udp ? UDP_BLOCK_BYTES_MAX : TCP_BLOCK_BYTES_MAX;
	/* "-u -l 0" is what clients say that could not learn the MSS. */
	bool absent = asked < 0 || (asked == 0 && parameters->udp);

	if (absent)
		asked = parameters->udp ? PARAMETERS_UDP_BLOCK_BYTES : PARAMETERS_TCP_BLOCK_BYTES;
	parameters->block_bytes = (size_t)asked;
	if (asked >= lowest && asked <= highest)
		return IPERF3_OK;
	snprintf(reader->why, reader->why_bytes,
		 "parameter \"len\" is %" PRId64 ", allowed are %" PRId64 " to %" PRId64 " over %s",
		 asked, lowest, highest, parameters->udp ? "UDP" : "TCP");
	return parameters->udp ? IPERF3_UDP_BLOCK_BYTES : IPERF3_BLOCK_BYTES;
}

static unsigned int check_protocol(const struct reader *reader, const struct parameters *parameters,
				   bool tcp, bool sctp)
{
	if (sctp || tcp == parameters->udp) {
		snprintf(reader->why, reader->why_bytes, "%s",
			 sctp  ? "SCTP is not offered, only TCP and UDP"
			 : tcp ? "both TCP and UDP are asked for"
			       : "neither TCP nor UDP is asked for");
		return IPERF3_PROTOCOL;
	}
	if (json_object_get(reader->object, "authtoken")) {
		snprintf(reader->why, reader->why_bytes,
			 "the client wants to be authorized, which is not offered");
		return IPERF3_AUTHORIZATION;
	}
	if (parameters->reverse && parameters->bidirectional) {
		snprintf(reader->why, reader->why_bytes,
			 "both \"reverse\" and \"bidirectional\" are asked for");
		return IPERF3_REVERSE_AND_BIDIRECTIONAL;
	}
	return IPERF3_OK;
}

static unsigned int read_all(const struct reader *reader, struct parameters *parameters)
{
	struct number numbers[NUMBERS];
	bool tcp = false, sctp = false;
	unsigned int error = read_switches(reader, parameters, &tcp, &sctp);

	if (!error)
		error = check_protocol(reader, parameters, tcp, sctp);
	if (!error)
		error = read_name(reader, "congestion", parameters->congestion);
	if (!error)
		error = read_name(reader, "client_version", parameters->client_version);
	if (!error)
		error = read_numbers(reader, numbers);
	if (error)
		return error;

	parameters->time_s = (unsigned int)numbers[TIME].value;
	parameters->omit_s = (unsigned int)numbers[OMIT].value;
	parameters->bytes = (uint64_t)numbers[BYTES].value;
	parameters->blocks = (uint64_t)numbers[BLOCKS].value;
	parameters->streams = (unsigned int)numbers[STREAMS].value;
	parameters->mss = (unsigned int)numbers[MSS].value;
	parameters->window_bytes = (unsigned int)numbers[WINDOW].value;
	parameters->rate_bits_per_s = (uint64_t)numbers[RATE].value;
	parameters->pacing_bits_per_s = (uint64_t)numbers[PACING].value;
	parameters->burst_blocks = (unsigned int)numbers[BURST].value;
	parameters->type_of_service = (unsigned int)numbers[TYPE_OF_SERVICE].value;
	return check_block_bytes(reader, parameters, numbers[BLOCK_BYTES].value);
}

unsigned int parameters_read(char *text, size_t bytes, struct parameters *parameters, char *why,
			     size_t why_bytes)
{
	struct reader reader = { .why = why, .why_bytes = why_bytes };
	json_t *object;
	unsigned int error;

	memset(parameters, 0, sizeof(*parameters));
	object = json_read_object(text, bytes, why, why_bytes);
	if (!object)
		return IPERF3_RECEIVE_PARAMETERS;
	reader.object = object;
	error = read_all(&reader, parameters);
	json_decref(object);
	return error;
}
