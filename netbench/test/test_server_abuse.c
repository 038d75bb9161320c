/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The iperf3 server and clients that are wrong, slow, silent or gone: each is refused for the right
 * reason, at the right time, and a client beside it is served.
 */
#include "netbench/test/server_test.h"

#include <sys/resource.h>

#define TCP "{\"tcp\":true,\"time\":10,\"parallel\":1,\"len\":1000"

static struct results results;

/** A whole test of an ordinary client, however many others are there. */
static void serve_somebody(void)
{
	int fd = begin_client("127.0.0.1", cookie_b, TCP "}");
	int stream;

	HEAR_STATE(fd, WIRE_CREATE_STREAMS);
	stream = open_stream(cookie_b);
	HEAR_STATE(fd, WIRE_TEST_START);
	HEAR_STATE(fd, WIRE_TEST_RUNNING);
	say(stream, cookie_a, 30);
	serve_rounds(5);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 30) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 30);
	close(stream);
}

static void assert_reason(const char *reason, const char *expected)
{
	if (!strstr(reason, expected))
		fail_msg("the reason is \"%s\", without \"%s\"", reason, expected);
}

/* -- before there is a test ---------------------------------------------------------------- */

static void says_nothing(void **state)
{
	int fd = connect_tcp();

	(void)state;
	serve_somebody();
	assert_true(is_silent(fd));
	clock_forward(11);
	HEAR_END(fd);
	assert_int_equal(told.rejected, 1);
	assert_reason(told.reason, "cookie in time");
	close(fd);
}

static void drips(void **state)
{
	int fd = connect_tcp();

	(void)state;
	for (int i = 0; i < 12; i++) {
		send(fd, cookie_a + i, 1, MSG_NOSIGNAL);
		clock_forward(1);
		serve_rounds(2);
	}
	HEAR_END(fd);
	assert_reason(told.reason, "cookie in time");
	close(fd);

	/* The same limit holds for cookie and parameters together. */
	fd = connect_tcp();
	serve_once();
	clock_forward(9);
	say(fd, cookie_a, WIRE_COOKIE_BYTES);
	HEAR_STATE(fd, WIRE_PARAM_EXCHANGE);
	say(fd, "\0\0\0\x20{\"tcp\"", 10);
	clock_forward(2);
	HEAR_ERROR(fd, 114u);
	assert_reason(told.reason, "parameters in time");
	close(fd);
	serve_somebody();
}

/* What came in time counts, however late the server gets to it. */
static void server_is_behind(void **state)
{
	int stream, fd = connect_tcp();

	(void)state;
	serve_somebody();
	/* Cookie and parameters have one limit together. */
	say(fd, cookie_a, WIRE_COOKIE_BYTES);
	say_json(fd, TCP "}");
	clock_forward(11);
	HEAR_STATE(fd, WIRE_PARAM_EXCHANGE);
	HEAR_STATE(fd, WIRE_CREATE_STREAMS);
	stream = open_stream(cookie_a);
	clock_forward(11);
	HEAR_STATE(fd, WIRE_TEST_START);
	HEAR_STATE(fd, WIRE_TEST_RUNNING);
	assert_int_equal(told.rejected, 0);
	assert_int_equal(told.ended, 1); /* somebody */
	close(fd);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

static void garbage(void **state)
{
	static const char *const all[] = {
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\x02",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", /* no NUL in the 37th place */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int fd = connect_tcp();

		say(fd, all[i], strlen(all[i]));
		SERVE_UNTIL(told.rejected == (int)i + 1);
		assert_reason(told.reason, "not the cookie");
		close(fd);
	}
	serve_somebody();
}

static void closes_early(void **state)
{
	int fd = connect_tcp();

	(void)state;
	close(fd);
	SERVE_UNTIL(told.rejected == 1);
	assert_reason(told.reason, "closed by the client");
	fd = begin_client("127.0.0.1", cookie_a, "{");
	close(fd);
	SERVE_UNTIL(told.rejected == 2);
	SERVE_UNTIL(server_is_idle(server));
	assert_int_equal(told.ended, 0);
}

/** Lengths that cannot be, and parameters that are none: an error of the right number. */
static void wrong_parameters(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		unsigned int error;
		const char *reason;
	} rows[] = {
		{ "\x80\0\0\0garbage", 11, 114, "2147483648 bytes" },
		{ "\0\0\x20\x01", 4, 114, "8193 bytes" },
		{ "\0\0\0\0", 4, 114, "empty" },
		{ "\0\0\0\x07garbage", 11, 114, "JSON" },
		{ "\0\0\0\x0d{\"sctp\":true}", 17, 131, "SCTP" },
		{ "\0\0\0\x1b{\"tcp\":true,\"parallel\":129}", 31, 6, "parallel" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd = connect_tcp();

		say(fd, cookie_a, WIRE_COOKIE_BYTES);
		HEAR_STATE(fd, WIRE_PARAM_EXCHANGE);
		say(fd, rows[i].bytes, rows[i].count);
		HEAR_ERROR(fd, rows[i].error);
		assert_reason(told.reason, rows[i].reason);
		close(fd);
		SERVE_UNTIL(server_is_idle(server));
	}
	serve_somebody();
}

/** One that does not read why it was refused is not waited for. */
static void refused_but_stays(void **state)
{
	int fd = connect_tcp();

	(void)state;
	say(fd, cookie_a, WIRE_COOKIE_BYTES);
	HEAR_STATE(fd, WIRE_PARAM_EXCHANGE);
	say(fd, "\xff\xff\xff\xff", 4);
	HEAR_ERROR(fd, 114u);
	assert_false(server_is_idle(server));
	clock_forward(3);
	SERVE_UNTIL(server_is_idle(server));
	close(fd);
}

static void cookie_twice(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);
	int intruder = open_stream(cookie_a);

	(void)state;
	HEAR_STATE(intruder, WIRE_ACCESS_DENIED);
	assert_false(is_silent(intruder)); /* the end comes with it, not when a limit has passed */
	HEAR_END(intruder);
	assert_true(is_silent(fd));
	close(intruder);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 0) "]}", &results);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
	assert_int_equal(told.rejected, 1);
}

/* -- in the middle of one ------------------------------------------------------------------ */

static void client_dies(void **state)
{
	const struct linger at_once = { .l_onoff = 1 };

	(void)state;
	for (int reset = 0; reset < 2; reset++) {
		int stream, fd = begin_running(TCP "}", &stream);

		if (reset) {
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
			setsockopt(stream, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
		}
		close(stream);
		close(fd);
		SERVE_UNTIL(told.ended == 1 && server_is_idle(server));
		assert_reason(told.report.error, reset ? "reset" : "closed the control");
		serve_somebody();
		told.ended = 0;
	}
}

static void client_gives_up(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);

	(void)state;
	say(stream, cookie_a, 20);
	serve_rounds(50);
	say_state(fd, WIRE_CLIENT_TERMINATE);
	HEAR_END(fd);
	assert_reason(told.report.error, "ended the test early");
	assert_int_equal(told.report.totals.received_bytes, 20);
	close(fd);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

static void client_talks_nonsense(void **state)
{
	static const int8_t states[] = { 99, WIRE_EXCHANGE_RESULTS, -7 };

	(void)state;
	for (size_t i = 0; i < sizeof(states); i++) {
		int stream, fd = begin_running(TCP "}", &stream);

		say_state(fd, states[i]);
		HEAR_ERROR(fd, 110u);
		assert_reason(told.report.error, "out of turn");
		close(fd);
		close(stream);
		SERVE_UNTIL(server_is_idle(server));
	}
}

static void time_is_over(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);

	(void)state;
	clock_forward(39);
	assert_true(is_silent(fd));
	clock_forward(2);
	HEAR_ERROR(fd, 160u);
	close(fd);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));

	/* Without a time of its own a test may go on while bytes move. */
	fd = begin_running("{\"tcp\":true,\"num\":1000000000,\"len\":1000}", &stream);
	for (int i = 0; i < 20; i++) {
		say(stream, cookie_a, 1);
		/* Long enough for the engine's thread to have its turn on a busy machine too. */
		serve_rounds(15);
		clock_forward(11);
		serve_rounds(3);
	}
	assert_true(is_silent(fd));
	for (int i = 0; i < 13; i++) {
		clock_forward(11);
		serve_rounds(3);
	}
	HEAR_ERROR(fd, 144u);
	close(fd);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

static void wrong_results(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);

	(void)state;
	say_state(fd, WIRE_TEST_END);
	HEAR_STATE(fd, WIRE_EXCHANGE_RESULTS);
	say_json(fd, "{\"streams\":[]}");
	HEAR_ERROR(fd, 117u);
	close(fd);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));

	fd = begin_running(TCP "}", &stream);
	say_state(fd, WIRE_TEST_END);
	HEAR_STATE(fd, WIRE_EXCHANGE_RESULTS);
	clock_forward(11);
	HEAR_ERROR(fd, 117u);
	assert_reason(told.report.error, "did not send its results");
	close(fd);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

/* -- when something is short --------------------------------------------------------------- */

/** Without descriptors a client is told so; those that are there go on, and later all is well. */
static void descriptors_run_out(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);
	struct rlimit limit, tight;
	int refused = connect_tcp(), next = dup(refused);

	(void)state;
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	tight = limit;
	tight.rlim_cur = (rlim_t)next; /* all below are in use */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	say(refused, cookie_b, WIRE_COOKIE_BYTES);
	HEAR_ERROR(refused, 104u);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(told.rejected, 1);
	assert_reason(told.reason, "Too many open files");
	close(refused);

	say(stream, cookie_a, 10);
	serve_rounds(5);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 10) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 10);
	close(stream);
	clock_forward(1);
	serve_somebody();
}

/** Nor does one that says nothing get more than that, or keep the last descriptor for long. */
static void descriptors_run_out_for_a_silent_one(void **state)
{
	struct rlimit limit, tight;
	int refused = connect_tcp(), next = dup(refused);

	(void)state;
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	tight = limit;
	tight.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	serve_rounds(5);
	clock_forward(3);
	HEAR_ERROR(refused, 104u);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_reason(told.reason, "Too many open files");
	close(refused);
	clock_forward(1);
	serve_somebody();
}

/** A client is told on its control connection that its stream cannot be, and what to do. */
static void descriptors_run_out_for_a_stream(void **state)
{
	int fd = begin_client("127.0.0.1", cookie_a, TCP "}");
	struct rlimit limit, tight;
	int stream, next;

	(void)state;
	HEAR_STATE(fd, WIRE_CREATE_STREAMS);
	stream = connect_tcp();
	next = dup(stream);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	tight = limit;
	tight.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &tight), 0);
	say(stream, cookie_a, WIRE_COOKIE_BYTES);
	HEAR_ERROR(fd, 204u);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(told.ended, 1);
	assert_reason(told.report.error, "ulimit -n");
	close(stream);
	close(fd);
	clock_forward(1);
	serve_somebody();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_server, close_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(says_nothing),
		TEST(drips),
		TEST(server_is_behind),
		TEST(garbage),
		TEST(closes_early),
		TEST(wrong_parameters),
		TEST(refused_but_stays),
		TEST(cookie_twice),
		TEST(client_dies),
		TEST(client_gives_up),
		TEST(client_talks_nonsense),
		TEST(time_is_over),
		TEST(wrong_results),
		TEST(descriptors_run_out),
		TEST(descriptors_run_out_for_a_silent_one),
		TEST(descriptors_run_out_for_a_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
