/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The iperf3 server from bytes: streams that break in mid-test, and how much is sent. */
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_server, close_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stream_received_breaks),
		TEST(stream_sent_breaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
