/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What is told of a test. See report.h; units are in the keys. */
#include "netbench/iperf3/report.h"

#include <stdio.h>
#include <string.h>

#include <jansson.h>

#define REAL_DIGITS 12 /* of times and rates; bytes are integers and exact */

static const char *protocol_of(const struct parameters *parameters)
{
	return parameters->udp ? "udp" : "tcp";
}

static const char *direction_of(const struct parameters *parameters)
{
	if (parameters->bidirectional)
		return "both";
	return parameters->reverse ? "send" : "receive";
}

static double per_second(double amount, double seconds)
{
	return seconds > 0 ? amount / seconds : 0;
}

const char *report_describe(const struct parameters *parameters, char *line)
{
	char rate[64] = "";

	if (parameters->rate_bits_per_s)
		snprintf(rate, sizeof(rate), ", %.6g Mbit/s a stream",
			 (double)parameters->rate_bits_per_s / 1e6);
	snprintf(line, REPORT_LINE_BYTES, "%s %s, %u stream%s, blocks of %zu bytes%s%s%s",
		 parameters->udp ? "UDP" : "TCP", direction_of(parameters),
		 parameters_streams(parameters), parameters_streams(parameters) == 1 ? "" : "s",
		 parameters->block_bytes, rate, parameters->client_version[0] ? ", iperf3 " : "",
		 parameters->client_version);
	return line;
}

const char *report_summarize(const struct report *report, char *line)
{
	const struct streams_totals *totals = &report->totals;
	char loss[128] = "";
	char copy[64] = "";
	double received = per_second(8e-6 * (double)totals->received_bytes, report->seconds);
	double sent = per_second(8e-6 * (double)totals->sent_bytes, report->seconds);

	if (report->parameters.udp && parameters_receive(&report->parameters))
		snprintf(loss, sizeof(loss), ", %llu of %llu datagrams lost, jitter %.3f ms",
			 (unsigned long long)totals->lost, (unsigned long long)totals->packets,
			 1e3 * totals->jitter_s);
	if (totals->copied_bytes)
		snprintf(copy, sizeof(copy), ", copying %.3f ns/byte",
			 (double)totals->copy_ns / (double)totals->copied_bytes);
	if (report->parameters.bidirectional)
		snprintf(line, REPORT_LINE_BYTES,
			 "received %.2f Mbit/s, sent %.2f Mbit/s in %.2f s%s%s%s%s", received, sent,
			 report->seconds, loss, copy, report->error[0] ? "; " : "", report->error);
	else
		snprintf(line, REPORT_LINE_BYTES, "%s %.2f Mbit/s in %.2f s%s%s%s%s",
			 report->parameters.reverse ? "sent" : "received",
			 report->parameters.reverse ? sent : received, report->seconds, loss, copy,
			 report->error[0] ? "; " : "", report->error);
	return line;
}

/** Adds to object what value holds, if it is there; remembers when memory was short. */
static void add(json_t *object, bool *complete, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) < 0)
		*complete = false;
}

static void add_integer(json_t *object, bool *complete, const char *key, uint64_t value)
{
	add(object, complete, key, json_integer((json_int_t)value));
}

static void add_test(json_t *object, bool *complete, const struct report *report)
{
	const struct parameters *parameters = &report->parameters;

	add(object, complete, "client", json_string(report->client));
	add(object, complete, "client_version", json_string(parameters->client_version));
	add(object, complete, "protocol", json_string(protocol_of(parameters)));
	add(object, complete, "direction", json_string(direction_of(parameters)));
	add_integer(object, complete, "streams", parameters_streams(parameters));
	add_integer(object, complete, "block_bytes", parameters->block_bytes);
	add_integer(object, complete, "omit_s", parameters->omit_s);
	if (report->congestion[0])
		add(object, complete, "congestion", json_string(report->congestion));
}

static void add_figures(json_t *object, bool *complete, const struct report *report)
{
	const struct streams_totals *totals = &report->totals;
	uint64_t bytes = totals->received_bytes + totals->sent_bytes;

	add(object, complete, "seconds", json_real(report->seconds));
	add_integer(object, complete, "bytes", bytes);
	add(object, complete, "bits_per_second",
	    json_real(per_second(8 * (double)bytes, report->seconds)));
	add_integer(object, complete, "received_bytes", totals->received_bytes);
	add_integer(object, complete, "sent_bytes", totals->sent_bytes);
	if (report->parameters.udp) {
		add_integer(object, complete, "packets", totals->packets);
		add_integer(object, complete, "lost", totals->lost);
		add_integer(object, complete, "out_of_order", totals->out_of_order);
		add_integer(object, complete, "network_errors", totals->network_errors);
		add(object, complete, "jitter_s", json_real(totals->jitter_s));
	} else if (parameters_send(&report->parameters)) {
		add_integer(object, complete, "retransmits", totals->retransmits);
	}
	if (report->peer_told) {
		add_integer(object, complete, "peer_received_bytes", report->peer_received_bytes);
		add_integer(object, complete, "peer_sent_bytes", report->peer_sent_bytes);
		if (report->parameters.udp && parameters_send(&report->parameters))
			add_integer(object, complete, "peer_lost", report->peer_lost);
	}
}

static void add_cost(json_t *object, bool *complete, const struct report *report,
		     const struct report_settings *settings)
{
	const struct streams_totals *totals = &report->totals;
	double ns_per_byte =
		totals->copied_bytes ? (double)totals->copy_ns / (double)totals->copied_bytes : 0;

	add_integer(object, complete, "copied_bytes", totals->copied_bytes);
	add_integer(object, complete, "copy_ns", totals->copy_ns);
	add(object, complete, "copy_ns_per_byte", json_real(ns_per_byte));
	add(object, complete, "user_s", json_real(report->user_s));
	add(object, complete, "system_s", json_real(report->system_s));
	add(object, complete, "engine", json_string(settings->engine));
	add(object, complete, "copy", json_string(settings->copy));
	add_integer(object, complete, "source_align", settings->source_align);
	add_integer(object, complete, "destination_align", settings->destination_align);
	add_integer(object, complete, "ring_bytes", settings->ring_bytes);
}

char *report_json(const struct report *report, const struct report_settings *settings)
{
	bool complete = true;
	char *text = NULL;
	json_t *object = json_object();

	if (!object)
		return NULL;
	add_test(object, &complete, report);
	add_figures(object, &complete, report);
	add_cost(object, &complete, report, settings);
	if (report->error[0])
		add(object, &complete, "error", json_string(report->error));
	if (complete)
		text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
	json_decref(object);
	return text;
}
