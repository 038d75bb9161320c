/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The iperf3 server from bytes: streams that break in mid-test, and what is left in them at its
 * end. */
#include "netbench/test/server_test.h"

#define TCP "{\"tcp\":true,\"time\":10,\"parallel\":1,\"len\":1000"

/** Closes with a reset instead of an end of file. */
static void reset(int fd)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
}

static void breaks(const char *parameters, unsigned int number, const char *reason)
{
	int stream, fd = begin_running(parameters, &stream);

	reset(stream);
	HEAR_ERROR(fd, number);
	assert_int_equal(told.ended, 1);
	if (!strstr(told.report.error, reason))
		fail_msg("%s: not said: %s; but: %s", parameters, reason, told.report.error);
	close(fd);
	SERVE_UNTIL(server_is_idle(server));
}

static void stream_received_breaks(void **state)
{
	(void)state;
	breaks(TCP "}", 206, "was received broke in mid-test: Connection reset by peer");
}

static void stream_sent_breaks(void **state)
{
	(void)state;
	breaks(TCP ",\"reverse\":true,\"bandwidth\":80000000}", 205,
	       "was sent to broke in mid-test");
}

/** Where bytes may gather in a socket until there are many, few must be taken at the end. */
static void few_bytes_of_large_blocks_count(void **state)
{
	static const size_t sizes[] = { 1, 1000, 131071, 131072, 131073, 300000 };
	static char data[300000];
	static struct results results;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int stream, fd = begin_running("{\"tcp\":true,\"time\":10,\"parallel\":1,"
					       "\"len\":131072}",
					       &stream);

		say(stream, data, sizes[i]);
		say_state(fd, WIRE_TEST_END);
		finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 0) "]}", &results);
		assert_int_equal(results.streams[0].bytes, sizes[i]);
		close(stream);
		SERVE_UNTIL(server_is_idle(server));
	}
}

/** The word of the end comes by another connection, and may overtake the last bytes. */
static void end_overtakes_bytes(void **state)
{
	static char data[50000];
	static struct results results;
	int stream, fd = begin_running("{\"tcp\":true,\"num\":100000,\"len\":1000}", &stream);

	(void)state;
	say(stream, data, 50000);
	say_state(fd, WIRE_TEST_END);
	assert_true(is_silent(fd));
	say(stream, data, 50000);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 100000) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 100000);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));

	/* Who sends less than he said is not waited for for ever, and the wait is no part of the test. */
	fd = begin_running("{\"tcp\":true,\"blockcount\":100,\"len\":1000}", &stream);
	say(stream, data, 50000);
	say_state(fd, WIRE_TEST_END);
	assert_true(is_silent(fd));
	clock_forward(2);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 100000) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 50000);
	assert_true(told.report.seconds < 1);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_server, close_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stream_received_breaks),
		TEST(stream_sent_breaks),
		TEST(few_bytes_of_large_blocks_count),
		TEST(end_overtakes_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
