/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The test of one session: its streams come, bytes move, figures are taken and exchanged. The order
 * in which states are sent and streams started is the protocol's, and clients depend on it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "netbench/iperf3/session_private.h"

#define PROGRESS_NS	  (10 * NS_PER_S) /* between two streams */
#define PROGRESS_HURRY_NS (3 * NS_PER_S)  /* the same when others wait for it */
#define DURATION_GRACE_NS (30 * NS_PER_S)
#define IDLE_CHECK_NS	  (10 * NS_PER_S)
#define IDLE_NS		  (120 * NS_PER_S)
#define STOPPING_NS	  (10 * NS_PER_S)
#define AWAIT_LOOK_NS	  (2 * NS_PER_MS)
#define AWAIT_QUIET_NS	  (1 * NS_PER_S) /* a lost segment is sent again sooner */
#define RESULTS_NS	  (10 * NS_PER_S)
#define DISPLAY_NS	  (10 * NS_PER_S)

static void all_flows_ended(void *context);
static void stream_broke(void *context, bool sender, int error);

/* -- figures ------------------------------------------------------------------------------- */

/** Of the whole process: with several clients at once this is the time of all of them. */
static struct cpu_time cpu_time_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct cpu_time){
		.user_s = (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec,
		.system_s = (double)usage.ru_stime.tv_sec + 1e-6 * (double)usage.ru_stime.tv_usec,
	};
}

void session_begin_figures(struct session *session)
{
	session->begin_ns = clock_now_ns();
	session->cpu_begin = cpu_time_now();
	streams_begin(session->streams);
}

void session_stop_clock(struct session *session)
{
	struct cpu_time now = cpu_time_now();

	session->report.seconds = 1e-9 * (double)(clock_now_ns() - session->begin_ns -
						  session->awaited_in_vain_ns);
	session->report.user_s = now.user_s - session->cpu_begin.user_s;
	session->report.system_s = now.system_s - session->cpu_begin.system_s;
}

void session_check_idle(struct session *session, uint64_t now_ns)
{
	uint64_t bytes = streams_bytes_now(session->streams);

	session->deadline_ns = now_ns + IDLE_CHECK_NS;
	if (bytes != session->idle_bytes) {
		session->idle_bytes = bytes;
		session->idle_since_ns = now_ns;
	} else if (now_ns - session->idle_since_ns >= IDLE_NS) {
		session_fail(session, IPERF3_NO_DATA, 0, "nothing was received or sent for %u s",
			     (unsigned int)(IDLE_NS / NS_PER_S));
	}
}

/* -- streams ------------------------------------------------------------------------------- */

void session_create_streams(struct session *session, unsigned int tuning_error)
{
	struct streams_config config = {
		.parameters = &session->report.parameters,
		.engine = session->config.engine,
		.loop = session->config.loop,
		.ended = all_flows_ended,
		.broke = stream_broke,
		.context = session,
	};
	int cause = errno;

	if (tuning_error) {
		session_fail(session, tuning_error, cause, "cannot set window or segment size: %s",
			     cause ? strerror(cause) : "the system grants less than was asked for");
		return;
	}
	session->streams = streams_create(&config);
	if (!session->streams) {
		session_fail(session, IPERF3_CREATE_STREAM, ENOMEM, "no memory for streams");
		return;
	}
	session->progress_ns = clock_now_ns();
	session_enter(session, PHASE_CREATING, PROGRESS_NS);
	session_send_state(session, WIRE_CREATE_STREAMS);
}

void session_hurry(struct session *session, bool others_wait)
{
	session->hurry = others_wait;
	if (session->phase == PHASE_CREATING)
		session->deadline_ns =
			session->progress_ns + (others_wait ? PROGRESS_HURRY_NS : PROGRESS_NS);
}

/** Receivers are ready before the client is told to send, senders begin when it listens. */
static void begin_test(struct session *session)
{
	const struct parameters *parameters = &session->report.parameters;
	uint64_t limit_ns = IDLE_CHECK_NS;
	const char *what;
	unsigned int error;
	int cause;

	if (!session_send_state(session, WIRE_TEST_START))
		return;
	if (parameters->time_s)
		limit_ns = (parameters->time_s + parameters->omit_s) * NS_PER_S + DURATION_GRACE_NS;
	session_enter(session, PHASE_RUNNING, limit_ns);
	session->config.hooks->streams_done(session->config.context, session);

	error = streams_start(session->streams, false, &what);
	cause = errno;
	session_begin_figures(session);
	session->idle_since_ns = session->begin_ns;
	if (parameters->omit_s)
		session->omit_until_ns = session->begin_ns + parameters->omit_s * NS_PER_S;
	if (!error) {
		if (!session_send_state(session, WIRE_TEST_RUNNING))
			return;
		error = streams_start(session->streams, true, &what);
		cause = errno;
	}
	if (error)
		session_fail(session, error, cause, "cannot start %s: %s", what, strerror(cause));
	else
		session->config.hooks->started(session->config.context, &session->report);
}

void session_add_stream(struct session *session, int fd)
{
	const char *what;
	unsigned int error = streams_add(session->streams, fd, &what);

	if (error) {
		session_fail(session, error, errno, "cannot set %s: %s", what,
			     errno ? strerror(errno) : "the system grants less than was asked for");
		return;
	}
	session->progress_ns = clock_now_ns();
	session_hurry(session, session->hurry);
	if (streams_missing(session->streams) > 0)
		return;
	snprintf(session->report.congestion, sizeof(session->report.congestion), "%s",
		 streams_congestion(session->streams));
	begin_test(session);
}

void session_stream_failed(struct session *session, int error)
{
	session_fail(session, IPERF3_STREAM_ACCEPT, error, "cannot open a stream: %s%s",
		     strerror(error), error == EMFILE ? "; raise the limit: ulimit -n" : "");
}

bool session_has_stream(const struct session *session, const union address *peer)
{
	return session->streams && streams_have_peer(session->streams, peer);
}

/* -- the end ------------------------------------------------------------------------------- */

/**
 * All flows are out of the engine: figures are final, the client may send its own. The time ends
 * here and not with the client's word: the megabytes that waited in the sockets by then count, and
 * a slow routine takes long for them.
 */
static void stopped(struct session *session)
{
	size_t streams = parameters_streams(&session->report.parameters);

	session_stop_clock(session);
	streams_finish(session->streams);
	streams_total(session->streams, &session->report.totals);
	streams_drain(session->streams);
	if (!session_begin_message(session, results_bytes_max(streams))) {
		session_fail(session, IPERF3_PACKAGE_RESULTS, ENOMEM, "no memory for results");
		return;
	}
	session_enter(session, PHASE_RESULTS, RESULTS_NS);
	session_send_state(session, WIRE_EXCHANGE_RESULTS);
}

static void all_flows_ended(void *context)
{
	struct session *session = context;

	if (session->phase == PHASE_STOPPING)
		stopped(session);
}

/**
 * A test that has lost a stream says nothing of the network any more; without a word its figures
 * would be taken for good ones.
 */
static void stream_broke(void *context, bool sender, int error)
{
	struct session *session = context;

	if (session->phase != PHASE_RUNNING)
		return;
	session_fail(session, sender ? IPERF3_STREAM_WRITE : IPERF3_STREAM_READ, error,
		     "a stream that %s broke in mid-test: %s",
		     sender ? "was sent to" : "was received", strerror(error));
}

/**
 * How many bytes a client that was asked for so many has sent when it ends the test. Its word comes
 * by another connection than they do, and may overtake the last of them.
 */
static uint64_t bytes_to_come(const struct parameters *parameters)
{
	if (parameters->udp || parameters->reverse || parameters->bidirectional ||
	    parameters->omit_s)
		return 0;
	return parameters->bytes ? parameters->bytes
				 : parameters->blocks * parameters->block_bytes;
}

void session_check_awaited(struct session *session, uint64_t now_ns)
{
	/* In this order, so that bytes which are taken in between are missed for now, not seen twice. */
	uint64_t bytes = streams_bytes_now(session->streams);

	bytes += streams_bytes_waiting(session->streams);
	session->awaited_look_ns = now_ns + AWAIT_LOOK_NS;
	if (bytes < session->awaited_bytes) {
		if (bytes != session->idle_bytes) {
			session->idle_bytes = bytes;
			session->idle_since_ns = now_ns;
		}
		if (now_ns - session->idle_since_ns < AWAIT_QUIET_NS)
			return;
		session->awaited_in_vain_ns = now_ns - session->idle_since_ns;
	}
	session->awaited_bytes = 0;
	streams_stop(session->streams);
}

void session_test_ended(struct session *session)
{
	uint64_t now_ns = clock_now_ns();

	session_enter(session, PHASE_STOPPING, STOPPING_NS);
	if (streams_ended(session->streams)) {
		stopped(session);
		return;
	}
	session->awaited_bytes = bytes_to_come(&session->report.parameters);
	session->idle_since_ns = now_ns;
	session_check_awaited(session, now_ns);
}

/** Notes what the peer says of the streams; they are told apart by their ids. */
static void note_peer(struct session *session, const struct results *peer)
{
	const struct parameters *parameters = &session->report.parameters;
	struct report *report = &session->report;

	report->peer_told = true;
	for (size_t i = 0; i < parameters_streams(parameters); i++) {
		const struct stream_results *stream = results_find(peer, results_stream_id(i));
		bool peer_sent = !parameters->reverse && i < parameters->streams;
		int64_t lost;

		if (!stream)
			continue;
		if (peer_sent) {
			report->peer_sent_bytes += stream->bytes;
			continue;
		}
		lost = stream->errors;
		if (stream->omitted_errors != RESULTS_UNKNOWN)
			lost -= stream->omitted_errors;
		report->peer_received_bytes += stream->bytes;
		report->peer_lost += lost > 0 ? (uint64_t)lost : 0;
	}
}

static char *write_results(struct session *session, struct results *results)
{
	const struct report *report = &session->report;
	char described[REPORT_LINE_BYTES], summary[REPORT_LINE_BYTES];
	char output[2 * REPORT_LINE_BYTES + 32];
	double seconds = report->seconds > 0 ? report->seconds : 1e-9;

	memset(results, 0, sizeof(*results));
	streams_results(session->streams, report->seconds, results);
	results->cpu_user_percent = 100 * report->user_s / seconds;
	results->cpu_system_percent = 100 * report->system_s / seconds;
	results->cpu_total_percent = results->cpu_user_percent + results->cpu_system_percent;
	if (report->parameters.get_server_output) {
		snprintf(output, sizeof(output), "netbench: %s\nnetbench: %s\n",
			 report_describe(&report->parameters, described),
			 report_summarize(report, summary));
		results->server_output = output;
	}
	return results_write(results);
}

static void send_results(struct session *session, const char *text)
{
	uint8_t length[WIRE_LENGTH_BYTES];

	wire_put_u32(length, (uint32_t)strlen(text));
	session_enter(session, PHASE_DISPLAY, DISPLAY_NS);
	if (control_send(&session->control, length, sizeof(length)) &&
	    control_send(&session->control, text, strlen(text)))
		session_send_state(session, WIRE_DISPLAY_RESULTS);
	else
		session_leave(session, "the control connection broke");
}

void session_got_results(struct session *session)
{
	struct results *results = malloc(sizeof(*results));
	char why[REPORT_ERROR_BYTES] = "no memory for results";
	char *text = NULL;

	if (!results ||
	    !results_read(session->text, session->message.text_bytes, results, why, sizeof(why))) {
		session_fail(session, IPERF3_RECEIVE_RESULTS, results ? 0 : ENOMEM, "%s", why);
	} else {
		note_peer(session, results);
		text = write_results(session, results);
		if (text)
			send_results(session, text);
		else
			session_fail(session, IPERF3_PACKAGE_RESULTS, ENOMEM,
				     "no memory for results");
	}
	free(text);
	free(results);
}
