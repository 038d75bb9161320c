/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the two halves of a session share: session.c, which talks with the client, and
 * session_run.c, which runs the test.
 */
#ifndef NETBENCH_IPERF3_SESSION_PRIVATE_H
#define NETBENCH_IPERF3_SESSION_PRIVATE_H

#include "netbench/clock.h"
#include "netbench/iperf3/control.h"
#include "netbench/iperf3/error.h"
#include "netbench/iperf3/session.h"
#include "netbench/iperf3/streams.h"

/* In this order, except that every one can be followed by the last two. */
enum phase {
	PHASE_PARAMETERS, /* the client sends its parameters */
	PHASE_WAITING,	  /* until the server lets it create streams */
	PHASE_CREATING,	  /* the client opens its streams */
	PHASE_RUNNING,	  /* bytes move, until the client says that it is over */
	PHASE_STOPPING,	  /* the flows come back from the engine */
	PHASE_RESULTS,	  /* the client sends its results */
	PHASE_DISPLAY,	  /* it has ours, and shows them */
	PHASE_REFUSING,	  /* it is told of an error, and has to read that */
	PHASE_LEAVING,	  /* the control connection is closed; streams may still be open */
};

struct cpu_time {
	double user_s;
	double system_s;
};

struct session {
	struct control control; /* first: handlers find the session by it */
	struct session_config config;
	enum phase phase;
	uint64_t deadline_ns; /* of the phase; UINT64_MAX: none */
	bool was_ready;	      /* the parameters were good */
	bool reported;
	bool hurry;

	struct wire_message message;
	char *text; /* of the message */

	struct streams *streams;
	uint64_t progress_ns;	/* when the last stream came */
	uint64_t omit_until_ns; /* UINT64_MAX: nothing (more) to omit */
	uint64_t begin_ns;
	struct cpu_time cpu_begin;
	uint64_t idle_bytes;
	uint64_t idle_since_ns;
	uint64_t awaited_bytes; /* of a test that has ended, and are not all here; 0: none */
	uint64_t awaited_look_ns;
	uint64_t awaited_in_vain_ns;

	struct report report;
};

/* Of session.c. */

/** limit_ns: until session_tick() finds the phase too long; 0: no limit. */
void session_enter(struct session *session, enum phase phase, uint64_t limit_ns);

/** Tells the client iperf3's error number and an errno (0: none), reports the reason, ends. */
void session_fail(struct session *session, unsigned int error, int cause, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** Closes the control connection; reason NULL: all is well. */
void session_leave(struct session *session, const char *reason);

/** False: the connection is broken, and the session has been left. */
bool session_send_state(struct session *session, enum wire_state state);

/** Begins to read a message; false: no memory. */
bool session_begin_message(struct session *session, size_t room_bytes);

/* Of session_run.c. */

/** Takes the time and CPU time of the test. */
void session_stop_clock(struct session *session);
/** The client says that the test is over. */
void session_test_ended(struct session *session);
/** The client's results are complete in session->text. */
void session_got_results(struct session *session);
/** Figures begin anew: what was so far is omitted. */
void session_begin_figures(struct session *session);
/** A test without an end of its own goes on as long as bytes move. */
void session_check_idle(struct session *session, uint64_t now_ns);
/** The test has ended, and the last bytes of it may have come by now. */
void session_check_awaited(struct session *session, uint64_t now_ns);

#endif
