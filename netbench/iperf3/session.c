/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The state machine of one client: what it sends, what it is sent, how long each phase may take.
 *
 * An error is sent and then the client is left time to read it, because a close with unread bytes
 * would take the message away again. A connection that is gone is left at once; then only the flows
 * have to come back from the engine, and the client to close what is drained.
 */
#include "netbench/iperf3/session.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netbench/iperf3/session_private.h"

#define PARAMETERS_NS (10 * NS_PER_S) /* for cookie and parameters */
#define REFUSING_NS   (2 * NS_PER_S)
#define DRAIN_NS      (10 * NS_PER_S)
#define STEPS_AT_ONCE 64 /* a client that sends without pause has its turn, not more */

void session_enter(struct session *session, enum phase phase, uint64_t limit_ns)
{
	session->phase = phase;
	session->deadline_ns = limit_ns ? clock_now_ns() + limit_ns : UINT64_MAX;
}

/* -- the end ------------------------------------------------------------------------------- */

/** Tells the server, once, how it ended; and lets others create their streams. */
static void report_end(struct session *session)
{
	const struct session_hooks *hooks = session->config.hooks;
	bool held_turn = session->phase == PHASE_WAITING || session->phase == PHASE_CREATING;

	if (session->reported)
		return;
	session->reported = true;
	if (session->streams) {
		if (session->phase == PHASE_RUNNING || session->phase == PHASE_STOPPING)
			session_stop_clock(session);
		streams_stop(session->streams);
		streams_finish(session->streams);
		streams_total(session->streams, &session->report.totals);
	}
	session->phase = PHASE_LEAVING;
	if (held_turn)
		hooks->streams_done(session->config.context, session);
	if (session->was_ready)
		hooks->ended(session->config.context, &session->report);
	else
		hooks->rejected(session->config.context, session->report.client,
				session->report.error);
}

void session_leave(struct session *session, const char *reason)
{
	if (reason && !session->reported)
		snprintf(session->report.error, sizeof(session->report.error), "%s", reason);
	report_end(session);
	control_close(&session->control);
	session_enter(session, PHASE_LEAVING, DRAIN_NS);
}

void session_fail(struct session *session, unsigned int error, int cause, const char *format, ...)
{
	uint8_t message[WIRE_ERROR_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(session->report.error, sizeof(session->report.error), format, arguments);
	va_end(arguments);
	report_end(session);
	wire_put_error(message, error, (uint32_t)cause);
	session_enter(session, PHASE_REFUSING, REFUSING_NS);
	if (control_send(&session->control, message, sizeof(message)))
		control_finish(&session->control);
	else
		session_leave(session, NULL);
}

bool session_send_state(struct session *session, enum wire_state state)
{
	int8_t byte = (int8_t)state;

	if (control_send(&session->control, &byte, 1))
		return true;
	session_leave(session, "the control connection broke");
	return false;
}

/* -- parameters ---------------------------------------------------------------------------- */

bool session_begin_message(struct session *session, size_t room_bytes)
{
	char *text = realloc(session->text, room_bytes + 1);

	if (!text)
		return false;
	session->text = text;
	wire_message_begin(&session->message, text, room_bytes);
	return true;
}

static void got_parameters(struct session *session)
{
	char why[REPORT_ERROR_BYTES] = "";
	unsigned int error = parameters_read(session->text, session->message.text_bytes,
					     &session->report.parameters, why, sizeof(why));

	if (error) {
		session_fail(session, error, 0, "%s", why);
		return;
	}
	session->was_ready = true;
	session_enter(session, PHASE_WAITING, 0);
	session->config.hooks->ready(session->config.context, session);
}

/* -- what the client sends ----------------------------------------------------------------- */

static void got_state(struct session *session, int state)
{
	if (state == WIRE_CLIENT_TERMINATE)
		session_leave(session, "the client ended the test early");
	else if (state == WIRE_IPERF_DONE && session->phase != PHASE_DISPLAY)
		session_leave(session, "the client gave up");
	else if (state == WIRE_TEST_END && session->phase == PHASE_RUNNING)
		session_test_ended(session);
	else if (state == WIRE_IPERF_DONE)
		session_leave(session, NULL);
	else if (state != WIRE_TEST_START)
		session_fail(session, IPERF3_UNKNOWN_MESSAGE, 0,
			     "the client sent %d (%s) out of turn", state, wire_state_name(state));
}

static void got_message_part(struct session *session, const void *data, size_t bytes)
{
	size_t used;

	switch (wire_message_take(&session->message, data, bytes, &used)) {
	case WIRE_MORE:
		return;
	case WIRE_COMPLETE:
		if (session->phase == PHASE_PARAMETERS)
			got_parameters(session);
		else
			session_got_results(session);
		return;
	case WIRE_TOO_LONG:
		session_fail(session, IPERF3_RECEIVE_PARAMETERS, 0,
			     "the client announced a message of %zu bytes, %zu are the most",
			     session->message.text_bytes, session->message.room_bytes);
		return;
	case WIRE_EMPTY:
		session_fail(session, IPERF3_RECEIVE_PARAMETERS, 0,
			     "the client sent an empty message");
		return;
	}
}

static void peer_closed(struct session *session, bool failed)
{
	if (session->phase == PHASE_DISPLAY || session->phase == PHASE_REFUSING)
		session_leave(session, NULL); /* it has had all there is */
	else if (failed)
		session_leave(session, strerror(errno));
	else
		session_leave(session, "the client closed the control connection");
}

/** Reads one piece. False: there is nothing more to read now. */
static bool read_piece(struct session *session)
{
	uint8_t data[4096];
	size_t wants = 1; /* a state */
	ssize_t got;

	if (session->phase == PHASE_PARAMETERS || session->phase == PHASE_RESULTS)
		wants = wire_message_wants(&session->message);
	else if (session->phase == PHASE_REFUSING)
		wants = sizeof(data);
	if (wants > sizeof(data))
		wants = sizeof(data);

	got = control_read(&session->control, data, wants);
	if (got == CONTROL_AGAIN)
		return false;
	if (got <= 0)
		peer_closed(session, got < 0);
	else if (session->phase == PHASE_PARAMETERS || session->phase == PHASE_RESULTS)
		got_message_part(session, data, (size_t)got);
	else if (session->phase != PHASE_REFUSING)
		got_state(session, (int8_t)data[0]);
	return control_is_open(&session->control);
}

static void control_ready(struct watch *watch, uint32_t events)
{
	struct session *session = (struct session *)(void *)watch;

	if ((events & EPOLLOUT) && !control_flush(&session->control)) {
		session_leave(session, "the control connection broke");
		return;
	}
	for (int i = 0; i < STEPS_AT_ONCE && read_piece(session); i++)
		;
}

/* -- life ---------------------------------------------------------------------------------- */

struct session *session_open(const struct session_config *config)
{
	struct session *session = calloc(1, sizeof(*session));
	int error;

	if (!session)
		return NULL;
	session->config = *config;
	session->omit_until_ns = UINT64_MAX;
	address_format(&config->peer, session->report.client);
	if (!session_begin_message(session, WIRE_PARAMETERS_BYTES)) {
		free(session);
		return NULL;
	}
	error = control_open(&session->control, config->loop, config->fd, control_ready);
	if (error) {
		free(session->text);
		free(session);
		errno = -error;
		return NULL;
	}
	session->deadline_ns = config->accepted_ns + PARAMETERS_NS;
	session_send_state(session, WIRE_PARAM_EXCHANGE);
	return session;
}

void session_destroy(struct session *session)
{
	control_close(&session->control);
	streams_destroy(session->streams);
	free(session->text);
	free(session);
}

void session_terminate(struct session *session)
{
	int8_t state = WIRE_SERVER_TERMINATE;

	if (!control_is_open(&session->control))
		return;
	if (session->phase != PHASE_REFUSING)
		control_send(&session->control, &state, 1);
	session_leave(session, "the server was stopped");
}

bool session_over(const struct session *session)
{
	if (session->phase != PHASE_LEAVING || control_is_open(&session->control))
		return false;
	if (!session->streams)
		return true;
	return streams_ended(session->streams) &&
	       (session->report.error[0] || streams_drained(session->streams) ||
		clock_now_ns() >= session->deadline_ns);
}

/* -- time ---------------------------------------------------------------------------------- */

static void deadline_passed(struct session *session, uint64_t now_ns)
{
	switch (session->phase) {
	case PHASE_PARAMETERS:
		session_fail(session, IPERF3_RECEIVE_PARAMETERS, 0,
			     "the client did not send its parameters in time");
		break;
	case PHASE_CREATING:
		session_fail(session, IPERF3_STREAM_ACCEPT, 0,
			     "the client did not open its streams");
		break;
	case PHASE_RUNNING:
		if (session->report.parameters.time_s)
			session_fail(session, IPERF3_DURATION_EXPIRED, 0,
				     "the client did not end the test in time");
		else
			session_check_idle(session, now_ns);
		break;
	case PHASE_STOPPING:
		session_fail(session, IPERF3_NO_DATA, 0, "the streams could not be stopped");
		break;
	case PHASE_RESULTS:
		session_fail(session, IPERF3_RECEIVE_RESULTS, 0,
			     "the client did not send its results");
		break;
	case PHASE_DISPLAY:
	case PHASE_REFUSING:
		session_leave(session, NULL);
		break;
	case PHASE_WAITING:
	case PHASE_LEAVING:
		break;
	}
}

void session_tick(struct session *session, uint64_t now_ns, uint64_t heard_ns)
{
	if (session->phase == PHASE_RUNNING && now_ns >= session->omit_until_ns) {
		session->omit_until_ns = UINT64_MAX;
		session_begin_figures(session);
	}
	if (session->phase == PHASE_STOPPING && session->awaited_bytes)
		session_check_awaited(session, now_ns);
	if (heard_ns >= session->deadline_ns)
		deadline_passed(session, now_ns);
}

uint64_t session_due_ns(const struct session *session)
{
	if (session->phase == PHASE_RUNNING && session->omit_until_ns < session->deadline_ns)
		return session->omit_until_ns;
	if (session->phase == PHASE_STOPPING && session->awaited_bytes)
		return session->awaited_look_ns;
	/* What is still with the engine comes back by itself, not by a deadline. */
	if (session->phase == PHASE_LEAVING && session->streams && !streams_ended(session->streams))
		return UINT64_MAX;
	return session->deadline_ns;
}

/* -- what the server asks ------------------------------------------------------------------ */

bool session_is_waiting(const struct session *session)
{
	return session->phase == PHASE_WAITING;
}

bool session_is_creating(const struct session *session)
{
	return session->phase == PHASE_CREATING;
}

bool session_is_refused(const struct session *session)
{
	return session->phase == PHASE_REFUSING;
}

const struct parameters *session_parameters(const struct session *session)
{
	return &session->report.parameters;
}

const union address *session_peer(const struct session *session)
{
	return &session->config.peer;
}

const uint8_t *session_cookie(const struct session *session)
{
	return session->config.cookie;
}
