/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Whose turn it is to open streams. Most sessions do so side by side; two that could be taken for
 * one another do so one after the other, in the order in which they became ready.
 */
#ifndef NETBENCH_IPERF3_TURNS_H
#define NETBENCH_IPERF3_TURNS_H

#include <stdbool.h>
#include <sys/queue.h>

struct session;

/** A session among all of the server; in the order in which they became ready. */
struct turn {
	TAILQ_ENTRY(turn) link;
	struct session *session;
};

TAILQ_HEAD(turns, turn);

/** Does the session's stream connection need settings of the listener? */
bool turn_is_special(const struct session *session);

/** May this one, which is waiting, create its streams now? */
bool turn_may_begin(const struct turns *turns, const struct turn *turn);

/** Does another wait for this one, which is creating its streams? */
bool turn_is_waited_for(const struct turns *turns, const struct turn *turn);

#endif
