/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The parameters message: what stock clients send, every key, ranges, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "netbench/iperf3/error.h"
#include "netbench/iperf3/parameters.h"

static char why[256];

static unsigned int read_text(const char *text, struct parameters *parameters)
{
	char *copy = strdup(text);
	unsigned int error;

	assert_non_null(copy);
	why[0] = '\0';
	error = parameters_read(copy, strlen(copy), parameters, why, sizeof(why));
	free(copy);
	return error;
}

/** Reads what must be right. */
static struct parameters good(const char *text)
{
	struct parameters parameters;
	unsigned int error = read_text(text, &parameters);

	if (error)
		fail_msg("%s: refused with %u, %s", text, error, why);
	return parameters;
}

/* -- what clients send --------------------------------------------------------------------- */

/** As 3.18 sends it for `iperf3 -c HOST`. */
static void plain_tcp(void **state)
{
	struct parameters p = good("{\"tcp\":true,\"omit\":0,\"time\":10,\"num\":0,\"blockcount\":0,"
				   "\"parallel\":1,\"len\":131072,\"pacing_timer\":1000,"
				   "\"client_version\":\"3.18\"}");

	(void)state;
	assert_false(p.udp);
	assert_false(p.reverse);
	assert_false(p.bidirectional);
	assert_int_equal(p.time_s, 10);
	assert_int_equal(p.streams, 1);
	assert_int_equal(p.block_bytes, 131072);
	assert_int_equal(p.rate_bits_per_s, 0);
	assert_string_equal(p.client_version, "3.18");
	assert_string_equal(p.congestion, "");
	assert_true(parameters_receive(&p));
	assert_false(parameters_send(&p));
	assert_int_equal(parameters_streams(&p), 1);
}

/** As 3.21 sends it for `-u -P 4 -R -b 100M/10 ...`, every key that means something. */
static void every_key(void **state)
{
	struct parameters p =
		good("{\"udp\":true,\"omit\":3,\"time\":0,\"num\":1048576,\"blockcount\":100,"
		     "\"MSS\":1400,\"nodelay\":true,\"parallel\":4,\"reverse\":true,"
		     "\"window\":262144,\"len\":1448,\"bandwidth\":100000000,\"fqrate\":2e9,"
		     "\"pacing_timer\":1000,\"burst\":10,\"gso\":0,\"gso_dg_size\":0,"
		     "\"gso_bf_size\":65507,\"gro\":0,\"gro_bf_size\":65507,\"TOS\":16,"
		     "\"flowlabel\":1,\"title\":\"t\",\"extra_data\":\"e\",\"congestion\":\"cubic\","
		     "\"get_server_output\":1,\"udp_counters_64bit\":1,\"repeating_payload\":1,"
		     "\"zerocopy\":1,\"dont_fragment\":1,\"client_version\":\"3.21+\"}");

	(void)state;
	assert_true(p.udp);
	assert_true(p.reverse);
	assert_true(p.nodelay);
	assert_true(p.udp_counters_64bit);
	assert_true(p.dont_fragment);
	assert_true(p.get_server_output);
	assert_int_equal(p.omit_s, 3);
	assert_int_equal(p.time_s, 0);
	assert_int_equal(p.bytes, 1048576);
	assert_int_equal(p.blocks, 100);
	assert_int_equal(p.mss, 1400);
	assert_int_equal(p.streams, 4);
	assert_int_equal(p.window_bytes, 262144);
	assert_int_equal(p.block_bytes, 1448);
	assert_int_equal(p.rate_bits_per_s, 100000000);
	assert_int_equal(p.pacing_bits_per_s, 2000000000);
	assert_int_equal(p.burst_blocks, 10);
	assert_int_equal(p.type_of_service, 16);
	assert_string_equal(p.congestion, "cubic");
	assert_string_equal(p.client_version, "3.21+");
	assert_false(parameters_receive(&p));
	assert_true(parameters_send(&p));
}

static void both_directions(void **state)
{
	struct parameters p = good("{\"tcp\":true,\"parallel\":128,\"bidirectional\":true}");

	(void)state;
	assert_true(parameters_receive(&p));
	assert_true(parameters_send(&p));
	assert_int_equal(parameters_streams(&p), 256);
}

static void absent_keys(void **state)
{
	struct parameters p = good("{\"tcp\":1}");

	(void)state;
	assert_int_equal(p.block_bytes, 131072);
	assert_int_equal(p.streams, 1);
	p = good("{\"udp\":true,\"tcp\":false}");
	assert_int_equal(p.block_bytes, 1460);
	p = good("{\"udp\":true,\"len\":0}");
	assert_int_equal(p.block_bytes, 1460);
}

/** Numbers as other JSON writers put them; unknown keys; text that is not ASCII, or not UTF-8. */
static void lenient(void **state)
{
	struct parameters p;

	(void)state;
	p = good("{\"tcp\":true,\"time\":10.0,\"num\":1e10,\"len\":1.28e3}");
	assert_int_equal(p.time_s, 10);
	assert_true(p.bytes == 10000000000u);
	assert_int_equal(p.block_bytes, 1280);
	p = good("{\"tcp\":true,\"no such key\":{\"a\":[1,2,null]},\"title\":7}");
	assert_int_equal(p.streams, 1);
	p = good("{\"tcp\":true,\"title\":\"\xe9t\xe9 \xc3\xa9\",\"parallel\":2}");
	assert_int_equal(p.streams, 2);
	p = good(" {\n\"tcp\" : true }\n");
	assert_int_equal(p.streams, 1);
}

/* -- ranges -------------------------------------------------------------------------------- */

/** The lowest and highest value of each number are taken, one beyond is refused as iperf3 does. */
static void ranges(void **state)
{
	static const struct {
		const char *protocol, *key;
		long long lowest, highest;
		unsigned int error;
	} rows[] = {
		{ "tcp", "time", 0, 86400, 5 },
		{ "tcp", "omit", 0, 600, 12 },
		{ "tcp", "parallel", 1, 128, 6 },
		{ "tcp", "len", 1, 1048576, 7 },
		{ "udp", "len", 16, 65507, 20 },
		{ "tcp", "MSS", 0, 32767, 10 },
		{ "tcp", "window", 0, 536870912, 8 },
		{ "udp", "burst", 0, 1000, 15 },
		{ "udp", "TOS", 0, 255, 21 },
		{ "udp", "bandwidth", 0, 1LL << 53, 114 },
		{ "tcp", "fqrate", 0, 1LL << 53, 114 },
		{ "tcp", "num", 0, 1LL << 53, 114 },
		{ "tcp", "blockcount", 0, 1LL << 53, 114 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* Beyond 2^53 numbers have a step of 2. */
		const long long values[] = { rows[i].lowest, rows[i].highest, rows[i].lowest - 1,
					     rows[i].highest + 2 };

		for (int j = 0; j < 4; j++) {
			struct parameters parameters;
			char text[128];
			unsigned int error, expected = j < 2 ? IPERF3_OK : rows[i].error;

			/* "len" is 0 in UDP when it is not known: that is another test. */
			snprintf(text, sizeof(text), "{\"%s\":true,\"%s\":%lld}", rows[i].protocol,
				 rows[i].key, values[j]);
			error = read_text(text, &parameters);
			if (error != expected)
				fail_msg("%s: error %u, not %u (%s)", text, error, expected, why);
			if (error && !strstr(why, rows[i].key))
				fail_msg("%s: the reason does not name the key: %s", text, why);
		}
	}
}

/* -- what is refused ----------------------------------------------------------------------- */

static void refused(void **state)
{
	static const struct {
		const char *text;
		unsigned int error;
		const char *reason; /* part of it */
	} rows[] = {
		{ "", 114, "JSON" },
		{ "garbage", 114, "JSON" },
		{ "{\"tcp\":true", 114, "JSON" },
		{ "{\"tcp\":true}}", 114, "JSON" },
		{ "[1]", 114, "object" },
		{ "17", 114, "JSON" },
		{ "{}", 131, "neither" },
		{ "{\"tcp\":false}", 131, "neither" },
		{ "{\"tcp\":true,\"udp\":true}", 131, "both" },
		{ "{\"sctp\":true}", 131, "SCTP" },
		{ "{\"tcp\":true,\"sctp\":true}", 131, "SCTP" },
		{ "{\"tcp\":true,\"reverse\":true,\"bidirectional\":true}", 25, "reverse" },
		{ "{\"tcp\":true,\"authtoken\":\"x\"}", 142, "authorized" },
		{ "{\"tcp\":\"yes\"}", 114, "\"tcp\"" },
		{ "{\"tcp\":true,\"parallel\":\"4\"}", 114, "\"parallel\"" },
		{ "{\"tcp\":true,\"time\":null}", 114, "\"time\"" },
		{ "{\"tcp\":true,\"time\":1e999}", 114, "JSON" },
		{ "{\"tcp\":true,\"time\":18446744073709551615}", 5, "\"time\"" },
		{ "{\"tcp\":true,\"parallel\":4294967297}", 6, "\"parallel\"" },
		{ "{\"tcp\":true,\"congestion\":4}", 114, "\"congestion\"" },
		{ "{\"tcp\":true,\"congestion\":\"0123456789012345678901234567890123\"}", 114,
		  "34 characters" },
		{ "{\"tcp\":true,\"congestion\":\"a\\nb\"}", 114, "0xa" },
		{ "{\"tcp\":true,\"client_version\":\"3.18\\u001b[2J\"}", 114, "0x1b" },
		{ "{\"tcp\":true,\"len\":0}", 7, "\"len\"" },
		{ "{\"udp\":true,\"len\":15}", 20, "UDP" },
		{ "{\"udp\":true,\"len\":65508}", 20, "UDP" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct parameters parameters;
		unsigned int error = read_text(rows[i].text, &parameters);

		if (error != rows[i].error || !strstr(why, rows[i].reason))
			fail_msg("%s: error %u \"%s\", not %u with \"%s\"", rows[i].text, error, why,
				 rows[i].error, rows[i].reason);
	}
}

/** Each truncation of a message is refused, and none read beyond its end. */
static void truncated(void **state)
{
	static const char text[] = "{\"tcp\":true,\"time\":10,\"client_version\":\"3.18\"}";

	(void)state;
	for (size_t bytes = 0; bytes < sizeof(text) - 1; bytes++) {
		struct parameters parameters;
		char *part = malloc(bytes + 1); /* exact, so that a sanitizer sees the end */
		unsigned int error;

		assert_non_null(part);
		memcpy(part, text, bytes);
		error = parameters_read(part, bytes, &parameters, why, sizeof(why));
		free(part);
		if (error != IPERF3_RECEIVE_PARAMETERS)
			fail_msg("cut at %zu: error %u", bytes, error);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_tcp), cmocka_unit_test(every_key),
		cmocka_unit_test(both_directions), cmocka_unit_test(absent_keys),
		cmocka_unit_test(lenient), cmocka_unit_test(ranges),
		cmocka_unit_test(refused), cmocka_unit_test(truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
