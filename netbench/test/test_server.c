/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The iperf3 server from bytes: whole tests over TCP, and how clients share the server. */
#include "netbench/test/server_test.h"

#include <netinet/tcp.h>

#define TCP "{\"tcp\":true,\"time\":10,\"parallel\":1,\"len\":1000"

static struct results results;

/** Sends n bytes while the server runs. */
static void pour(int fd, size_t n)
{
	static const char data[10000] = "data";

	while (n > 0) {
		size_t part = n < sizeof(data) ? n : sizeof(data);
		ssize_t sent = send(fd, data, part, MSG_DONTWAIT | MSG_NOSIGNAL);

		if (sent > 0)
			n -= (size_t)sent;
		else if (errno == EAGAIN)
			serve_once();
		else
			fail_msg("the stream was closed with %zu bytes to go", n);
	}
}

static void receives(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);

	(void)state;
	assert_int_equal(told.started, 1);
	pour(stream, 1000000);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 1000000) "]}", &results);

	assert_int_equal(results.stream_count, 1);
	assert_int_equal(results.streams[0].id, 1);
	assert_int_equal(results.streams[0].bytes, 1000000);
	assert_int_equal(results.streams[0].retransmits, -1);
	assert_int_equal(results.sender_has_retransmits, -1);
	assert_true(results.congestion_used[0] != '\0');
	assert_true(results.streams[0].end_s > 0);
	assert_int_equal(told.ended, 1);
	assert_string_equal(told.report.error, "");
	assert_int_equal(told.report.totals.received_bytes, 1000000);
	assert_int_equal(told.report.totals.copied_bytes, 1000000);
	assert_int_equal(told.report.peer_sent_bytes, 1000000);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

static void sends(void **state)
{
	int stream, fd = begin_running(TCP ",\"reverse\":true,\"bandwidth\":80000000}", &stream);
	static char data[100000];
	uint64_t total = 0;
	ssize_t got;

	(void)state;
	hear(stream, data, sizeof(data));
	total = sizeof(data);
	assert_true(data[0] != 0 || data[1] != 0 || data[2] != 0);
	say_state(fd, WIRE_TEST_END);
	/* The end of the stream comes before the request for results, or a client would hang. */
	SERVE_UNTIL((got = recv(stream, data, sizeof(data), MSG_DONTWAIT)) == 0 ||
		    (total += got > 0 ? (uint64_t)got : 0, false));
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 100000) "]}", &results);
	assert_int_equal(results.streams[0].bytes, total);
	assert_true(results.streams[0].retransmits >= 0);
	assert_int_equal(results.sender_has_retransmits, 1);
	assert_int_equal(told.report.totals.sent_bytes, total);
	assert_int_equal(told.report.peer_received_bytes, 100000);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

/** The first streams bring data, the last ones get it. */
static void both_directions(void **state)
{
	int fd = begin_client("127.0.0.1", cookie_a,
			      "{\"tcp\":true,\"time\":10,\"parallel\":2,\"len\":1000,"
			      "\"bidirectional\":true,\"bandwidth\":80000000}");
	int streams[4];
	char data[1000];

	(void)state;
	HEAR_STATE(fd, WIRE_CREATE_STREAMS);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(told.started, 0);
		streams[i] = open_stream(cookie_a);
		serve_rounds(3);
	}
	HEAR_STATE(fd, WIRE_TEST_START);
	HEAR_STATE(fd, WIRE_TEST_RUNNING);
	pour(streams[0], 3000);
	pour(streams[1], 5000);
	hear(streams[2], data, sizeof(data));
	hear(streams[3], data, sizeof(data));
	say_state(fd, WIRE_TEST_END);
	finish_client(fd,
		      RESULTS_HEAD RESULTS_STREAM(1, 3000) "," RESULTS_STREAM(3, 5000) "," //
		      RESULTS_STREAM(4, 7000) "," RESULTS_STREAM(5, 9000) "]}",
		      &results);
	assert_int_equal(results.stream_count, 4);
	assert_int_equal(results.streams[0].bytes, 3000);
	assert_int_equal(results.streams[1].bytes, 5000);
	assert_int_equal(results.streams[1].id, 3);
	assert_true(results.streams[2].bytes >= 1000);
	assert_int_equal(results.streams[0].retransmits, -1);
	assert_true(results.streams[3].retransmits >= 0);
	assert_int_equal(told.report.totals.received_bytes, 8000);
	assert_int_equal(told.report.peer_sent_bytes, 8000);
	assert_int_equal(told.report.peer_received_bytes, 16000);
	for (int i = 0; i < 4; i++)
		close(streams[i]);
	SERVE_UNTIL(server_is_idle(server));
}

/** What comes before the omitted time is over is in no figure. */
static void omits(void **state)
{
	int stream, fd = begin_running(TCP ",\"omit\":2}", &stream);

	(void)state;
	pour(stream, 70000);
	serve_rounds(10);
	clock_forward(2);
	serve_rounds(3);
	pour(stream, 30000);
	serve_rounds(10);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 30000) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 30000);
	assert_true(results.streams[0].start_s == 0);
	assert_true(results.streams[0].end_s < 2);
	assert_true(told.report.seconds < 2);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

#define SLOW_COPY_NS (50 * NS_PER_MS)

static void *slow_memcpy(void *destination, const void *source, size_t bytes)
{
	const struct timespec pause = { .tv_nsec = SLOW_COPY_NS };

	nanosleep(&pause, NULL);
	return memcpy(destination, source, bytes);
}

static int open_slow_server(void **state)
{
	static const struct copy_variant slow = { .name = "slow", .memcpy = slow_memcpy };

	(void)state;
	return open_server_copying_by(&slow);
}

/** Bytes that wait in the socket when the client ends the test count, and so does their time. */
static void counts_the_time_of_what_was_waiting(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);
	double copying_s;

	(void)state;
	pour(stream, 300000);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 300000) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 300000);
	copying_s = 300000 / 131072 * 1e-9 * SLOW_COPY_NS; /* at least: one copy a full ring */
	if (results.streams[0].end_s < copying_s || told.report.seconds < copying_s)
		fail_msg("%g s and %g s, though copying took %g s", results.streams[0].end_s,
			 told.report.seconds, copying_s);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

/** A client up to 3.12 dies if its stream is closed under it: it is read on, but not for ever. */
static void drains(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);

	(void)state;
	pour(stream, 1000);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 1000) "]}", &results);
	assert_int_equal(told.report.totals.received_bytes, 1000);
	pour(stream, 5000000); /* more than lies in socket buffers, so somebody reads it */
	assert_true(is_silent(stream));
	assert_false(server_is_idle(server));
	clock_forward(10);
	SERVE_UNTIL(server_is_idle(server));
	close(stream);
}

/** Cookies keep clients apart, even when streams come in any order. */
static void side_by_side(void **state)
{
	int a = begin_client("127.0.0.1", cookie_a, TCP "}");
	int b = begin_client("127.0.0.1", cookie_b, TCP "}");
	int stream_a, stream_b;

	(void)state;
	HEAR_STATE(a, WIRE_CREATE_STREAMS);
	HEAR_STATE(b, WIRE_CREATE_STREAMS);
	stream_b = open_stream(cookie_b);
	HEAR_STATE(b, WIRE_TEST_START);
	HEAR_STATE(b, WIRE_TEST_RUNNING);
	assert_true(is_silent(a));
	stream_a = open_stream(cookie_a);
	HEAR_STATE(a, WIRE_TEST_START);
	HEAR_STATE(a, WIRE_TEST_RUNNING);
	pour(stream_a, 111);
	pour(stream_b, 222);
	say_state(b, WIRE_TEST_END);
	finish_client(b, RESULTS_HEAD RESULTS_STREAM(1, 222) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 222);
	say_state(a, WIRE_TEST_END);
	finish_client(a, RESULTS_HEAD RESULTS_STREAM(1, 111) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 111);
	close(stream_a);
	close(stream_b);
	SERVE_UNTIL(server_is_idle(server));
}

/** Linux 5.16 and later; before, a window is set after the handshake. */
static bool listener_can_have_window(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0), nothing = 0;
	int error = setsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &nothing, sizeof(nothing));

	close(fd);
	return error == 0;
}

static int segment_bytes(int fd)
{
	int segment = 0;
	socklen_t bytes = sizeof(segment);

	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, &bytes), 0);
	return segment;
}

/**
 * A window or segment size is for its own client: others wait until its streams are there, and get
 * nothing of it. What the server offers in the handshake shows in the client's segments, which are
 * at most half a window.
 */
static void settings_for_one(void **state)
{
	static const struct {
		const char *parameters;
		int lowest, highest; /* of the segment */
	} rows[] = {
		{ TCP ",\"window\":4096}", 1001, 2048 },
		{ TCP ",\"MSS\":1000}", 500, 1000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int special = begin_client("127.0.0.1", cookie_a, rows[i].parameters);
		int plain, stream, other;
		int lowest = i == 0 && !listener_can_have_window() ? 0 : rows[i].lowest;

		HEAR_STATE(special, WIRE_CREATE_STREAMS);
		plain = begin_client("127.0.0.1", cookie_b, TCP "}");
		assert_true(is_silent(plain));
		stream = open_stream(cookie_a);
		HEAR_STATE(special, WIRE_TEST_START);
		HEAR_STATE(plain, WIRE_CREATE_STREAMS);
		other = open_stream(cookie_b);
		HEAR_STATE(plain, WIRE_TEST_START);

		if (lowest &&
		    (segment_bytes(stream) < lowest || segment_bytes(stream) > rows[i].highest))
			fail_msg("%s: segments of %d bytes", rows[i].parameters,
				 segment_bytes(stream));
		assert_in_range(segment_bytes(other), 10000, 65535);
		close(special);
		close(plain);
		close(stream);
		close(other);
		SERVE_UNTIL(server_is_idle(server));
	}
}

/** One that holds others up has 3 seconds, one that is alone has 10. */
static void waited_for(void **state)
{
	int special = begin_client("127.0.0.1", cookie_a, TCP ",\"window\":65536}");
	int plain;

	(void)state;
	HEAR_STATE(special, WIRE_CREATE_STREAMS);
	clock_forward(4);
	assert_true(is_silent(special));
	plain = begin_client("127.0.0.1", cookie_b, TCP "}");
	HEAR_ERROR(special, 204u);
	assert_non_null(strstr(told.report.error, "did not open its streams"));
	HEAR_STATE(plain, WIRE_CREATE_STREAMS);
	clock_forward(4);
	assert_true(is_silent(plain));
	clock_forward(7);
	HEAR_ERROR(plain, 204u);
	close(special);
	close(plain);
	SERVE_UNTIL(server_is_idle(server));
}

static void stops(void **state)
{
	int stream, fd = begin_running(TCP "}", &stream);

	(void)state;
	pour(stream, 5000);
	serve_rounds(10);
	server_terminate(server);
	HEAR_STATE(fd, WIRE_SERVER_TERMINATE);
	HEAR_END(fd);
	assert_int_equal(told.ended, 1);
	assert_string_equal(told.report.error, "the server was stopped");
	assert_int_equal(told.report.totals.received_bytes, 5000);
	close(fd);
	close(stream);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_server, close_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(receives),
		TEST(sends),
		TEST(both_directions),
		TEST(omits),
		TEST(drains),
		TEST(side_by_side),
		TEST(settings_for_one),
		TEST(waited_for),
		TEST(stops),
		cmocka_unit_test_setup_teardown(counts_the_time_of_what_was_waiting,
						open_slow_server, close_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
