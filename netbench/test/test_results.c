/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The results message both ways: what is written, and what odd peers send. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "netbench/iperf3/results.h"

static struct results results;
static char why[256];

static bool read_text(const char *text)
{
	char *copy = strdup(text);
	bool read;

	assert_non_null(copy);
	why[0] = '\0';
	read = results_read(copy, strlen(copy), &results, why, sizeof(why));
	free(copy);
	return read;
}

static void ids(void **state)
{
	static const int64_t expected[] = { 1, 3, 4, 5, 6 };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(results_stream_id(i), expected[i]);
}

/* -- writing ------------------------------------------------------------------------------- */

static json_t *written(void)
{
	char *text = results_write(&results);
	json_t *root;

	assert_non_null(text);
	root = json_loads(text, 0, NULL);
	if (!root)
		fail_msg("not JSON: %s", text);
	free(text);
	return root;
}

static void write_all_keys(void **state)
{
	json_t *root, *stream;

	(void)state;
	memset(&results, 0, sizeof(results));
	results.cpu_total_percent = 30.5;
	results.cpu_user_percent = 10.25;
	results.cpu_system_percent = 20.25;
	results.sender_has_retransmits = 1;
	strcpy(results.congestion_used, "cubic");
	results.server_output = "line\n\"two\"";
	results.stream_count = 2;
	results.streams[0] = (struct stream_results){ .id = 1,
						      .bytes = UINT64_C(12345678901234),
						      .retransmits = 7,
						      .end_s = 1.5 };
	results.streams[1] = (struct stream_results){ .id = 3,
						      .bytes = 1448,
						      .retransmits = RESULTS_UNKNOWN,
						      .jitter_s = 0.000125,
						      .errors = 11,
						      .packets = 100,
						      .omitted_errors = 2,
						      .omitted_packets = 40,
						      .end_s = 1.5 };
	root = written();
	assert_true(json_number_value(json_object_get(root, "cpu_util_total")) == 30.5);
	assert_true(json_number_value(json_object_get(root, "cpu_util_user")) == 10.25);
	assert_true(json_number_value(json_object_get(root, "cpu_util_system")) == 20.25);
	assert_int_equal(json_integer_value(json_object_get(root, "sender_has_retransmits")), 1);
	assert_string_equal(json_string_value(json_object_get(root, "congestion_used")), "cubic");
	assert_string_equal(json_string_value(json_object_get(root, "server_output_text")),
			    "line\n\"two\"");
	assert_int_equal(json_array_size(json_object_get(root, "streams")), 2);
	stream = json_array_get(json_object_get(root, "streams"), 0);
	assert_int_equal(json_integer_value(json_object_get(stream, "id")), 1);
	assert_true(json_integer_value(json_object_get(stream, "bytes")) == 12345678901234);
	assert_int_equal(json_integer_value(json_object_get(stream, "retransmits")), 7);
	stream = json_array_get(json_object_get(root, "streams"), 1);
	assert_int_equal(json_integer_value(json_object_get(stream, "id")), 3);
	assert_int_equal(json_integer_value(json_object_get(stream, "retransmits")), -1);
	assert_true(json_number_value(json_object_get(stream, "jitter")) == 0.000125);
	assert_int_equal(json_integer_value(json_object_get(stream, "errors")), 11);
	assert_int_equal(json_integer_value(json_object_get(stream, "packets")), 100);
	assert_int_equal(json_integer_value(json_object_get(stream, "omitted_errors")), 2);
	assert_int_equal(json_integer_value(json_object_get(stream, "omitted_packets")), 40);
	assert_true(json_number_value(json_object_get(stream, "start_time")) == 0);
	assert_true(json_number_value(json_object_get(stream, "end_time")) == 1.5);
	json_decref(root);
}

/** What is not a number would end the peer; what is not there must not be written. */
static void write_no_nan(void **state)
{
	json_t *root;

	(void)state;
	memset(&results, 0, sizeof(results));
	results.cpu_total_percent = NAN;
	results.cpu_user_percent = INFINITY;
	results.stream_count = 1;
	results.streams[0].jitter_s = -NAN;
	results.streams[0].end_s = -INFINITY;
	root = written();
	assert_true(json_number_value(json_object_get(root, "cpu_util_total")) == 0);
	assert_null(json_object_get(root, "congestion_used"));
	assert_null(json_object_get(root, "server_output_text"));
	json_decref(root);
}

static void write_the_most(void **state)
{
	char *text;

	(void)state;
	memset(&results, 0, sizeof(results));
	results.stream_count = RESULTS_STREAMS_MAX;
	for (size_t i = 0; i < RESULTS_STREAMS_MAX; i++)
		results.streams[i] = (struct stream_results){ results_stream_id(i),
							      INT64_MAX,
							      INT64_MAX,
							      1.0 / 3,
							      INT64_MAX,
							      INT64_MAX,
							      INT64_MAX,
							      INT64_MAX,
							      1.0 / 3,
							      1e5 / 3 };
	text = results_write(&results);
	assert_non_null(text);
	assert_in_range(strlen(text), 1, results_bytes_max(RESULTS_STREAMS_MAX));
	free(text);
}

/* -- reading ------------------------------------------------------------------------------- */

#define HEAD "{\"cpu_util_total\":1.5,\"cpu_util_user\":1,\"cpu_util_system\":0.5,"
#define STREAM                                                                                     \
	"{\"id\":1,\"bytes\":1000,\"retransmits\":0,\"jitter\":0.5,\"errors\":3,\"packets\":9"

/** As 3.18 sends it. */
static void read_new_client(void **state)
{
	(void)state;
	assert_true(read_text(HEAD "\"sender_has_retransmits\":1,\"congestion_used\":\"bbr\","
				   "\"streams\":[" STREAM ",\"omitted_errors\":1,"
				   "\"omitted_packets\":4,\"start_time\":0,\"end_time\":1.25}]}"));
	assert_true(results.cpu_total_percent == 1.5);
	assert_int_equal(results.sender_has_retransmits, 1);
	assert_string_equal(results.congestion_used, "bbr");
	assert_int_equal(results.stream_count, 1);
	assert_int_equal(results.streams[0].bytes, 1000);
	assert_int_equal(results.streams[0].omitted_packets, 4);
	assert_true(results.streams[0].end_s == 1.25);
	assert_ptr_equal(results_find(&results, 1), &results.streams[0]);
	assert_null(results_find(&results, 3));
}

/** No omitted_*, no times: 3.9 and older. */
static void read_old_client(void **state)
{
	(void)state;
	assert_true(read_text(HEAD "\"sender_has_retransmits\":0,\"streams\":[" STREAM "}]}"));
	assert_int_equal(results.streams[0].errors, 3);
	assert_int_equal(results.streams[0].omitted_errors, RESULTS_UNKNOWN);
	assert_int_equal(results.streams[0].omitted_packets, RESULTS_UNKNOWN);
	assert_true(results.streams[0].end_s == 0);
}

/** -1 as an unsigned number, integers as floating point. */
static void read_odd_numbers(void **state)
{
	(void)state;
	assert_true(read_text("{\"cpu_util_total\":0,\"cpu_util_user\":0,\"cpu_util_system\":0,"
			      "\"sender_has_retransmits\":18446744073709551615,\"streams\":["
			      "{\"id\":1.0,\"bytes\":1.5e10,\"retransmits\":18446744073709551615,"
			      "\"jitter\":0,\"errors\":2.0,\"packets\":1e3}]}"));
	assert_int_equal(results.sender_has_retransmits, -1);
	assert_int_equal(results.streams[0].retransmits, -1);
	assert_int_equal(results.streams[0].id, 1);
	assert_true(results.streams[0].bytes == 15000000000u);
	assert_int_equal(results.streams[0].packets, 1000);
	assert_true(read_text(HEAD "\"sender_has_retransmits\":-1,\"streams\":[]}"));
	assert_int_equal(results.stream_count, 0);
}

static void read_refused(void **state)
{
	static const struct {
		const char *text;
		const char *reason; /* part of it */
	} rows[] = {
		{ "", "JSON" },
		{ "[]", "object" },
		{ "{}", "cpu_util_total" },
		{ HEAD "\"sender_has_retransmits\":1}", "streams" },
		{ HEAD "\"streams\":[]}", "sender_has_retransmits" },
		{ HEAD "\"sender_has_retransmits\":1,\"streams\":{}}", "streams" },
		{ HEAD "\"sender_has_retransmits\":1,\"streams\":[7]}", "streams" },
		{ HEAD "\"sender_has_retransmits\":\"1\",\"streams\":[]}", "sender_has_retransmits" },
		{ HEAD "\"sender_has_retransmits\":1,\"congestion_used\":1,\"streams\":[]}",
		  "congestion_used" },
		{ HEAD "\"sender_has_retransmits\":1,\"streams\":[{\"id\":1}]}", "bytes" },
		{ HEAD "\"sender_has_retransmits\":1,\"streams\":[" STREAM
		       ",\"omitted_errors\":1}]}",
		  "omitted" },
		{ HEAD "\"sender_has_retransmits\":1,\"streams\":[" STREAM
		       ",\"omitted_packets\":1}]}",
		  "omitted" },
		{ HEAD "\"sender_has_retransmits\":1,\"streams\":[" STREAM
		       ",\"end_time\":\"1\"}]}",
		  "end_time" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool read = read_text(rows[i].text);

		if (read || !strstr(why, rows[i].reason))
			fail_msg("%s: %s, \"%s\" instead of \"%s\"", rows[i].text,
				 read ? "read" : "refused", why, rows[i].reason);
	}
}

static void read_too_many(void **state)
{
	const char *one = STREAM "},";
	size_t bytes = 1000 + (RESULTS_STREAMS_MAX + 1) * strlen(one);
	char *text = malloc(bytes);

	(void)state;
	assert_non_null(text);
	strcpy(text, HEAD "\"sender_has_retransmits\":1,\"streams\":[");
	for (int i = 0; i <= RESULTS_STREAMS_MAX; i++)
		strcat(text, one);
	strcpy(text + strlen(text) - 1, "]}");
	assert_false(read_text(text));
	assert_non_null(strstr(why, "more elements"));
	free(text);
}

/** What we write we can read; and a peer's every key survives. */
static void write_then_read(void **state)
{
	const struct stream_results stream = { 1, 5000, 7, 0.25, 8, 100, 2, 20, 0, 2.5 };
	char *text;

	(void)state;
	memset(&results, 0, sizeof(results));
	results.sender_has_retransmits = 1;
	results.stream_count = 1;
	results.streams[0] = stream;
	text = results_write(&results);
	assert_non_null(text);
	assert_true(read_text(text));
	assert_memory_equal(&results.streams[0], &stream, sizeof(stream));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids),
		cmocka_unit_test(write_all_keys),
		cmocka_unit_test(write_no_nan),
		cmocka_unit_test(write_the_most),
		cmocka_unit_test(read_new_client),
		cmocka_unit_test(read_old_client),
		cmocka_unit_test(read_odd_numbers),
		cmocka_unit_test(read_refused),
		cmocka_unit_test(read_too_many),
		cmocka_unit_test(write_then_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
