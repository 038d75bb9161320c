/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The results message. What we write holds every key of the newest clients; what we read may be of
 * an old one: omitted_* are missing before 3.13, and start_time and end_time before 3.2.
 */
#include "netbench/iperf3/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "netbench/iperf3/json.h"

/* -- writing ------------------------------------------------------------------------------- */

/** A peer's JSON reader does not know NaN and infinity. */
static double finite_or_zero(double value)
{
	return isfinite(value) ? value : 0;
}

static json_t *write_stream(const struct stream_results *stream)
{
	/* Counters never come near 2^63; the cast is for the JSON library's type. */
	return json_pack(
		"{s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:f, s:f}", "id", (json_int_t)stream->id,
		"bytes", (json_int_t)stream->bytes, "retransmits", (json_int_t)stream->retransmits,
		"jitter", finite_or_zero(stream->jitter_s), "errors", (json_int_t)stream->errors,
		"omitted_errors", (json_int_t)stream->omitted_errors, "packets",
		(json_int_t)stream->packets, "omitted_packets", (json_int_t)stream->omitted_packets,
		"start_time", finite_or_zero(stream->start_s), "end_time",
		finite_or_zero(stream->end_s));
}

static json_t *write_streams(const struct results *results)
{
	json_t *streams = json_array();

	for (size_t i = 0; streams && i < results->stream_count; i++)
		if (json_array_append_new(streams, write_stream(&results->streams[i])) < 0) {
			json_decref(streams);
			return NULL;
		}
	return streams;
}

char *results_write(const struct results *results)
{
	char *text;
	json_t *root;
	json_t *streams = write_streams(results);

	if (!streams)
		return NULL;
	root = json_pack("{s:f, s:f, s:f, s:I, s:o}", "cpu_util_total",
			 finite_or_zero(results->cpu_total_percent), "cpu_util_user",
			 finite_or_zero(results->cpu_user_percent), "cpu_util_system",
			 finite_or_zero(results->cpu_system_percent), "sender_has_retransmits",
			 (json_int_t)results->sender_has_retransmits, "streams", streams);
	if (!root)
		return NULL; /* json_pack() has released the streams */
	if ((results->congestion_used[0] &&
	     json_object_set_new(root, "congestion_used", json_string(results->congestion_used))) ||
	    (results->server_output && json_object_set_new(root, "server_output_text",
							   json_string(results->server_output)))) {
		json_decref(root);
		return NULL;
	}
	text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	return text;
}

/* -- reading ------------------------------------------------------------------------------- */

struct reader {
	char *why;
	size_t why_bytes;
	bool failed;
};

static void fail(struct reader *reader, const char *key, const char *how)
{
	if (!reader->failed)
		snprintf(reader->why, reader->why_bytes, "results: \"%s\" %s", key, how);
	reader->failed = true;
}

static int64_t need_integer(struct reader *reader, const json_t *object, const char *key)
{
	int64_t value = 0;

	if (json_get_integer(object, key, &value) != JSON_FOUND)
		fail(reader, key, "is missing or not a number");
	return value;
}

static double need_real(struct reader *reader, const json_t *object, const char *key)
{
	double value = 0;

	if (json_get_real(object, key, &value) != JSON_FOUND)
		fail(reader, key, "is missing or not a number");
	return value;
}

static double get_time(struct reader *reader, const json_t *object, const char *key)
{
	double value = 0;

	if (json_get_real(object, key, &value) == JSON_WRONG_TYPE)
		fail(reader, key, "is not a number");
	return value;
}

static void read_omitted(struct reader *reader, const json_t *object, struct stream_results *stream)
{
	enum json_found errors, packets;

	stream->omitted_errors = RESULTS_UNKNOWN;
	stream->omitted_packets = RESULTS_UNKNOWN;
	errors = json_get_integer(object, "omitted_errors", &stream->omitted_errors);
	packets = json_get_integer(object, "omitted_packets", &stream->omitted_packets);
	if (errors == JSON_WRONG_TYPE || errors != packets)
		fail(reader, "omitted_errors", "and \"omitted_packets\" are not both numbers");
}

static void read_stream(struct reader *reader, const json_t *object, struct stream_results *stream)
{
	int64_t bytes;

	if (!json_is_object(object)) {
		fail(reader, "streams", "has an element that is not an object");
		return;
	}
	stream->id = need_integer(reader, object, "id");
	bytes = need_integer(reader, object, "bytes");
	stream->bytes = bytes > 0 ? (uint64_t)bytes : 0;
	stream->retransmits = need_integer(reader, object, "retransmits");
	stream->jitter_s = need_real(reader, object, "jitter");
	stream->errors = need_integer(reader, object, "errors");
	stream->packets = need_integer(reader, object, "packets");
	read_omitted(reader, object, stream);
	stream->start_s = get_time(reader, object, "start_time");
	stream->end_s = get_time(reader, object, "end_time");
}

static void read_streams(struct reader *reader, const json_t *root, struct results *results)
{
	const json_t *streams = json_object_get(root, "streams");

	if (!json_is_array(streams)) {
		fail(reader, "streams", "is missing or not an array");
		return;
	}
	if (json_array_size(streams) > RESULTS_STREAMS_MAX) {
		fail(reader, "streams", "has more elements than there can be streams");
		return;
	}
	results->stream_count = json_array_size(streams);
	for (size_t i = 0; i < results->stream_count; i++)
		read_stream(reader, json_array_get(streams, i), &results->streams[i]);
}

bool results_read(char *text, size_t bytes, struct results *results, char *why, size_t why_bytes)
{
	struct reader reader = { .why = why, .why_bytes = why_bytes };
	const char *congestion = "";
	json_t *root;

	memset(results, 0, sizeof(*results));
	root = json_read_object(text, bytes, why, why_bytes);
	if (!root)
		return false;
	results->cpu_total_percent = need_real(&reader, root, "cpu_util_total");
	results->cpu_user_percent = need_real(&reader, root, "cpu_util_user");
	results->cpu_system_percent = need_real(&reader, root, "cpu_util_system");
	results->sender_has_retransmits = need_integer(&reader, root, "sender_has_retransmits");
	if (json_get_string(root, "congestion_used", &congestion) == JSON_WRONG_TYPE)
		fail(&reader, "congestion_used", "is not a string");
	snprintf(results->congestion_used, sizeof(results->congestion_used), "%s", congestion);
	read_streams(&reader, root, results);
	json_decref(root);
	return !reader.failed;
}

const struct stream_results *results_find(const struct results *results, int64_t id)
{
	for (size_t i = 0; i < results->stream_count; i++)
		if (results->streams[i].id == id)
			return &results->streams[i];
	return NULL;
}
