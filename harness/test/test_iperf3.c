/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The stock client: its command line for each test, and what is read from its JSON, of several
 * versions, good, cut and wrong.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "harness/measure/iperf3.h"

static void join(const struct iperf3_command *command, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (int i = 0; command->argv[i]; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "",
					 command->argv[i]);
}

static void command_lines(void **state)
{
	static const char *const wanted[TEST_KINDS] = {
		"/opt/iperf3 -J -c 198.18.0.1 -p 5201 -t 2 -C cubic",
		"/opt/iperf3 -J -c 198.18.0.1 -p 5201 -t 2 -R -C cubic",
		"/opt/iperf3 -J -c 198.18.0.1 -p 5201 -t 2 -u -R -l 1448 -b 0",
		"/opt/iperf3 -J -c 198.18.0.1 -p 5201 -t 2 -u -l 1448 -b 0",
	};
	struct configuration configuration;
	struct iperf3_command command;
	struct reason reason;
	char text[512];

	(void)state;
	configuration_default(&configuration);
	for (int i = 0; i < TEST_KINDS; i++) {
		iperf3_client_command(&command, "/opt/iperf3", &configuration, i, "198.18.0.1",
				      5201);
		join(&command, text, sizeof(text));
		assert_string_equal(text, wanted[i]);
	}
	configuration_set(&configuration, "run", "omit", "1", &reason);
	configuration_set(&configuration, "tcp-recv", "length", "65536", &reason);
	configuration_set(&configuration, "tcp-recv", "rate", "1G", &reason);
	iperf3_client_command(&command, "/opt/iperf3", &configuration, 0, "10.0.0.1", 65535);
	join(&command, text, sizeof(text));
	assert_string_equal(
		text,
		"/opt/iperf3 -J -c 10.0.0.1 -p 65535 -t 2 -O 1 -C cubic -l 65536 -b 1000000000");
}

/* What 3.12 to 3.22 print at the end of a TCP test: the receiver counted less, over longer. */
static const char tcp[] =
	"{\"start\":{\"version\":\"iperf 3.18\"},\"intervals\":[],\"end\":{\"streams\":[],"
	"\"sum_sent\":{\"start\":0,\"end\":2,\"seconds\":2,\"bytes\":3000000,\"bits_per_second\":"
	"12000000,"
	"\"retransmits\":0,\"sender\":true},"
	"\"sum_received\":{\"start\":0,\"end\":2.5,\"seconds\":2.5,\"bytes\":2500000,"
	"\"bits_per_second\":8000000,\"sender\":true},"
	"\"sender_tcp_congestion\":\"cubic\",\"receiver_tcp_congestion\":\"bbr\"}}";

/* UDP: "sum" has the sender's bytes and packets; only sum_received is the receiver's. */
static const char udp[] =
	"{\"end\":{\"streams\":[],"
	"\"sum\":{\"start\":0,\"end\":2,\"seconds\":2,\"bytes\":1448000,\"jitter_ms\":0.01,"
	"\"lost_packets\":100,\"packets\":1000,\"lost_percent\":10,\"sender\":true},"
	"\"sum_sent\":{\"seconds\":2,\"bytes\":1448000,\"lost_packets\":0,\"packets\":1000,"
	"\"lost_percent\":0,\"sender\":true},"
	"\"sum_received\":{\"seconds\":2.0,\"bytes\":1013600,\"jitter_ms\":0.01,\"lost_packets\":"
	"100,"
	"\"packets\":800,\"lost_percent\":10,\"sender\":false}}}";

static void tcp_figures_are_the_receivers(void **state)
{
	struct iperf3_figures figures;
	struct reason reason;

	(void)state;
	if (iperf3_read_client(tcp, false, &figures, &reason))
		fail_msg("refused: %s", reason.text);
	assert_true(figures.received_bytes == 2500000);
	assert_true(figures.received_s == 2.5);
	assert_true(figures.loss_percent == 0);
	assert_string_equal(figures.congestion, "cubic");
}

static void udp_figures_are_the_receivers(void **state)
{
	struct iperf3_figures figures;
	struct reason reason;

	(void)state;
	if (iperf3_read_client(udp, true, &figures, &reason))
		fail_msg("refused: %s", reason.text);
	assert_true(figures.received_bytes == 1013600);
	assert_true(figures.received_s == 2.0);
	assert_true(fabs(figures.loss_percent - 12.5) < 1e-12);
	assert_string_equal(figures.congestion, "");
}

/* Reordered at the end, some receivers count more as late than as lost. */
static void fewer_than_none_lost_is_none(void **state)
{
	static const char json[] = "{\"end\":{\"sum_received\":{\"seconds\":1,\"bytes\":8,"
				   "\"lost_packets\":-3,\"packets\":800}}}";
	struct iperf3_figures figures;
	struct reason reason;

	(void)state;
	assert_int_equal(iperf3_read_client(json, true, &figures, &reason), 0);
	assert_true(figures.loss_percent == 0);
}

static void nonsense_is_not_told_as_loss(void **state)
{
	static const char json[] = "{\"end\":{\"sum_received\":{\"seconds\":1,\"bytes\":8,"
				   "\"lost_packets\":801,\"packets\":800}}}";
	struct iperf3_figures figures;
	struct reason reason;

	(void)state;
	assert_int_equal(iperf3_read_client(json, true, &figures, &reason), 0);
	assert_true(figures.loss_percent == -1);
	assert_false(iperf3_tells_loss_after_omit("3.12"));
	assert_false(iperf3_tells_loss_after_omit("3.13-mt1"));
	assert_false(iperf3_tells_loss_after_omit(""));
	assert_true(iperf3_tells_loss_after_omit("3.14"));
	assert_true(iperf3_tells_loss_after_omit("3.19.1"));
	assert_true(iperf3_tells_loss_after_omit("4.0"));
}

static void bad_json_is_refused(void **state)
{
	static const struct {
		const char *json;
		bool udp;
		const char *says;
	} bad[] = {
		{ "", false, "printed nothing" },
		{ "iperf3: error - unable to connect", false, "cannot be read: line 1" },
		{ "{\"start\":{},\"intervals\":[],\"end\":{},\"error\":\"unable to connect to "
		  "server\"}",
		  false, "iperf3: unable to connect to server" },
		{ "{\"start\":{}}", false, "no end.sum_received" },
		{ "{\"end\":{\"sum_received\":7}}", false, "no end.sum_received" },
		{ "{\"end\":{\"sum\":{\"seconds\":1,\"bytes\":8}}}", true, "no end.sum_received" },
		{ "{\"end\":{\"sum_received\":{\"seconds\":1}}}", false, "no bytes" },
		{ "{\"end\":{\"sum_received\":{\"bytes\":1}}}", false, "no seconds" },
		{ "{\"end\":{\"sum_received\":{\"bytes\":\"8\",\"seconds\":1}}}", false,
		  "no bytes" },
		{ "{\"end\":{\"sum_received\":{\"bytes\":0,\"seconds\":1}}}", false, "no data" },
		{ "{\"end\":{\"sum_received\":{\"bytes\":8,\"seconds\":0}}}", false, "no data" },
		{ "{\"end\":{\"sum_received\":{\"bytes\":8,\"seconds\":1}}}", true, "no packets" },
		{ "[]", false, "no end.sum_received" },
	};
	struct iperf3_figures figures;
	struct reason reason;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!iperf3_read_client(bad[i].json, bad[i].udp, &figures, &reason))
			fail_msg("accepted: %s", bad[i].json);
		if (!strstr(reason.text, bad[i].says))
			fail_msg("for %s: \"%s\" does not say \"%s\"", bad[i].json, reason.text,
				 bad[i].says);
	}
}

static void cut_json_is_refused_wherever_it_is_cut(void **state)
{
	struct iperf3_figures figures;
	struct reason reason;
	char cut[sizeof(tcp)];

	(void)state;
	for (size_t length = 0; length < strlen(tcp); length++) {
		memcpy(cut, tcp, length);
		cut[length] = '\0';
		if (!iperf3_read_client(cut, false, &figures, &reason))
			fail_msg("accepted %zu bytes: %s", length, cut);
	}
}

static void versions(void **state)
{
	static const char *const told[][2] = {
		{ "iperf 3.18 (cJSON 1.7.15)", "3.18" },
		{ "iperf 3.12", "3.12" },
		{ "iperf 3.19.1 (cJSON 1.7.15)\nLinux vm 6.18", "3.19.1" },
		{ "iperf3 of somebody else", "" },
		{ "", "" },
		{ "iperf 3.000000000000000000000000000000000000", "" },
	};
	char version[16];

	(void)state;
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		iperf3_read_version(told[i][0], version, sizeof(version));
		assert_string_equal(version, told[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines),
		cmocka_unit_test(tcp_figures_are_the_receivers),
		cmocka_unit_test(udp_figures_are_the_receivers),
		cmocka_unit_test(fewer_than_none_lost_is_none),
		cmocka_unit_test(nonsense_is_not_told_as_loss),
		cmocka_unit_test(bad_json_is_refused),
		cmocka_unit_test(cut_json_is_refused_wherever_it_is_cut),
		cmocka_unit_test(versions),
	};

	return cmocka_run_group_tests_name("iperf3", tests, NULL, NULL);
}
