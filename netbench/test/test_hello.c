/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * UDP streams from bytes: who is answered, how often, and who is not.
 *
 * The program has a connect() of its own, to say something in the instant between the bind and the
 * connect of a stream's socket, when datagrams of others land in it.
 */
#include "netbench/test/server_test.h"

#include "netbench/iperf3/hello.h"

#define UDP	  "{\"udp\":true,\"time\":10,\"parallel\":1,\"len\":100,\"bandwidth\":8000000"
#define HELLO	  "9876"
#define OLD_HELLO "\x15\xcd\x5b\x07"
#define ANSWER	  "6789"
#define DATAGRAM  100

static struct results results;
static void (*before_connect)(void);

int connect(int fd, const struct sockaddr *address, socklen_t bytes)
{
	void (*hook)(void) = before_connect;

	before_connect = NULL;
	if (hook)
		hook();
	return (int)syscall(SYS_connect, fd, address, bytes);
}

static int udp_from(const char *host)
{
	return connect_from(host, SOCK_DGRAM);
}

static void hear_answer(int fd)
{
	char answer[8];
	ssize_t got;

	SERVE_UNTIL((got = recv(fd, answer, sizeof(answer), MSG_DONTWAIT)) >= 0 || errno != EAGAIN);
	assert_int_equal(got, 4);
	assert_memory_equal(answer, ANSWER, 4);
}

static void say_datagram(int fd, uint64_t sequence)
{
	uint8_t datagram[DATAGRAM] = { 0 };

	wire_put_datagram(datagram, &(struct wire_datagram){ 1, 2, sequence }, false);
	say(fd, datagram, sizeof(datagram));
}

static int begin_udp(const char *host, const char *cookie, const char *parameters)
{
	int fd = begin_client(host, cookie, parameters);

	HEAR_STATE(fd, WIRE_CREATE_STREAMS);
	return fd;
}

/* -- whole tests --------------------------------------------------------------------------- */

static void receives(void **state)
{
	int fd = begin_udp("127.0.0.1", cookie_a, UDP "}");
	int stream = udp_from("127.0.0.1");

	(void)state;
	say(stream, HELLO, 4);
	hear_answer(stream);
	HEAR_STATE(fd, WIRE_TEST_START);
	HEAR_STATE(fd, WIRE_TEST_RUNNING);
	for (uint64_t sequence = 1; sequence <= 50; sequence++)
		if (sequence % 10 != 0)
			say_datagram(stream, sequence);
	say(stream, "short", 5);
	say_datagram(stream, 51);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 5100) "]}", &results);
	assert_int_equal(results.streams[0].bytes, 46 * DATAGRAM);
	assert_int_equal(results.streams[0].packets, 51);
	assert_int_equal(results.streams[0].errors, 5);
	assert_int_equal(results.streams[0].omitted_packets, 0);
	assert_string_equal(results.congestion_used, "");
	assert_int_equal(told.report.totals.lost, 5);
	assert_int_equal(told.report.totals.packets, 51);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

/** What is sent comes from where the hello went to, counts from 1, and has no second answer in it.
 */
static void sends(void **state)
{
	int fd = begin_udp("127.0.0.1", cookie_a, UDP ",\"reverse\":true}");
	int stream = udp_from("127.0.0.1");
	struct wire_datagram header;
	uint8_t datagram[200];

	(void)state;
	say(stream, OLD_HELLO, 4);
	hear_answer(stream);
	HEAR_STATE(fd, WIRE_TEST_START);
	HEAR_STATE(fd, WIRE_TEST_RUNNING);
	for (uint64_t sequence = 1; sequence <= 20; sequence++) {
		ssize_t got;

		SERVE_UNTIL((got = recv(stream, datagram, sizeof(datagram), MSG_DONTWAIT)) >= 0);
		assert_int_equal(got, DATAGRAM);
		assert_true(wire_get_datagram(datagram, (size_t)got, false, &header));
		assert_int_equal(header.sequence, sequence);
	}
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 2000) "]}", &results);
	assert_true(results.streams[0].packets >= 20);
	assert_int_equal(results.streams[0].bytes, (uint64_t)results.streams[0].packets * DATAGRAM);
	close(stream);
	SERVE_UNTIL(server_is_idle(server));
}

/** What the network refuses is told, so that a loss can be put down to it. */
static void tells_errors_of_the_network(void **state)
{
	int fd = begin_udp("127.0.0.1", cookie_a, UDP ",\"reverse\":true}");
	int stream = udp_from("127.0.0.1");
	static const struct report_settings settings = { .engine = "", .copy = "" };
	char *json;

	(void)state;
	say(stream, OLD_HELLO, 4);
	hear_answer(stream);
	HEAR_STATE(fd, WIRE_TEST_START);
	HEAR_STATE(fd, WIRE_TEST_RUNNING);
	close(stream); /* now each datagram is answered with an ICMP message */
	serve_rounds(50);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD RESULTS_STREAM(1, 2000) "]}", &results);
	json = report_json(&told.report, &settings);
	assert_non_null(json);
	if (!strstr(json, "\"network_errors\":") || strstr(json, "\"network_errors\":0"))
		fail_msg("the report: %s", json);
	free(json);
	SERVE_UNTIL(server_is_idle(server));
}

/* -- who is answered ----------------------------------------------------------------------- */

/** Nobody whose session does not wait for streams, and nothing that is not a hello. */
static void not_answered(void **state)
{
	int stranger = udp_from("127.0.0.1");
	int elsewhere = udp_from("127.0.0.2");
	int fd, stream;

	(void)state;
	say(stranger, HELLO, 4);
	assert_true(is_silent(stranger));

	fd = begin_udp("127.0.0.1", cookie_a, UDP "}");
	say(elsewhere, HELLO, 4);
	say(stranger, "987", 3);
	say(stranger, "98765", 5);
	say_datagram(stranger, 1);
	assert_true(is_silent(elsewhere));
	assert_true(is_silent(stranger));
	assert_true(is_silent(fd));

	stream = udp_from("127.0.0.1");
	say(stream, HELLO, 4);
	hear_answer(stream);
	HEAR_STATE(fd, WIRE_TEST_START);
	say(stranger, HELLO, 4);
	assert_true(is_silent(stranger));
	close(fd);
	close(stream);
	close(stranger);
	close(elsewhere);
	SERVE_UNTIL(server_is_idle(server));
}

/** A hello that the network doubled is one stream, and answered once. */
static void doubled(void **state)
{
	int fd = begin_udp("127.0.0.1", cookie_a,
			   "{\"udp\":true,\"time\":10,\"parallel\":2,\"len\":100}");
	int first = udp_from("127.0.0.1"), second = udp_from("127.0.0.1");

	(void)state;
	say(first, HELLO, 4);
	say(first, HELLO, 4);
	hear_answer(first);
	assert_true(is_silent(first));
	assert_true(is_silent(fd));
	say(first, HELLO, 4);
	assert_true(is_silent(first));
	say(second, HELLO, 4);
	hear_answer(second);
	HEAR_STATE(fd, WIRE_TEST_START);
	HEAR_STATE(fd, WIRE_TEST_RUNNING);
	say_datagram(second, 1);
	say_state(fd, WIRE_TEST_END);
	finish_client(fd, RESULTS_HEAD "]}", &results);
	assert_int_equal(results.stream_count, 2);
	assert_int_equal(results.streams[0].bytes, 0);
	assert_int_equal(results.streams[1].bytes, DATAGRAM);
	close(first);
	close(second);
	SERVE_UNTIL(server_is_idle(server));
}

/** Of one host only one session at a time; of two hosts both. */
static void one_at_a_time(void **state)
{
	int a = begin_udp("127.0.0.1", cookie_a, UDP "}");
	int b = begin_client("127.0.0.1", cookie_b, UDP "}");
	int elsewhere = begin_udp("127.0.0.2", "cccccccccccccccccccccccccccccccccccc", UDP "}");
	int stream = udp_from("127.0.0.1");
	int other = udp_from("127.0.0.2");

	(void)state;
	assert_true(is_silent(b));
	say(other, HELLO, 4);
	hear_answer(other);
	HEAR_STATE(elsewhere, WIRE_TEST_START);
	say(stream, HELLO, 4);
	hear_answer(stream);
	HEAR_STATE(a, WIRE_TEST_START);
	HEAR_STATE(b, WIRE_CREATE_STREAMS);
	close(a);
	close(b);
	close(elsewhere);
	close(stream);
	close(other);
	SERVE_UNTIL(server_is_idle(server));
}

static int stray_socket;

static void say_stray(void)
{
	say(stray_socket, HELLO, 4);
	say(stray_socket, "noise", 5);
}

/** A hello that comes to another's socket in the instant before that is connected is not lost. */
static void stray(void **state)
{
	int a = begin_udp("127.0.0.1", cookie_a, UDP "}");
	int b = begin_udp("127.0.0.2", cookie_b, UDP "}");
	int stream = udp_from("127.0.0.1");

	(void)state;
	stray_socket = udp_from("127.0.0.2");
	before_connect = say_stray;
	say(stream, HELLO, 4);
	hear_answer(stream);
	HEAR_STATE(a, WIRE_TEST_START);
	HEAR_STATE(a, WIRE_TEST_RUNNING);
	hear_answer(stray_socket);
	HEAR_STATE(b, WIRE_TEST_START);
	HEAR_STATE(b, WIRE_TEST_RUNNING);
	say_datagram(stream, 1);
	say_state(a, WIRE_TEST_END);
	finish_client(a, RESULTS_HEAD "]}", &results);
	assert_int_equal(results.streams[0].bytes, DATAGRAM); /* not the noise */
	say_state(b, WIRE_TEST_END);
	finish_client(b, RESULTS_HEAD "]}", &results);
	assert_int_equal(results.streams[0].bytes, 0);
	close(stream);
	close(stray_socket);
	SERVE_UNTIL(server_is_idle(server));
}

/* -- the port ------------------------------------------------------------------------------ */

static void port_in_use(void **state)
{
	struct server_config config = { .bind_address = "127.0.0.1", .loop = loop };
	union address address = { .v4 = address_of("127.0.0.1", server_port(server)) };
	char why[256] = "";

	(void)state;
	assert_int_equal(hello_listen(&address), -EADDRINUSE);
	config.port = server_port(server);
	assert_null(server_open(&config, why, sizeof(why)));
	assert_int_equal(errno, EADDRINUSE);
	if (!strstr(why, "ss -ltnp"))
		fail_msg("does not say how to look for the other: %s", why);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_server, close_server)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(receives),	     TEST(sends),
		TEST(not_answered),  TEST(doubled),
		TEST(one_at_a_time), TEST(stray),
		TEST(port_in_use),   TEST(tells_errors_of_the_network),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
