/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Whose turn it is to open streams. See turns.h. */
#include "netbench/iperf3/turns.h"

#include "netbench/iperf3/session.h"

bool turn_is_special(const struct session *session)
{
	const struct parameters *parameters = session_parameters(session);

	return !parameters->udp && (parameters->window_bytes || parameters->mss);
}

/** Can these two not create streams at the same time? */
static bool conflict(const struct session *a, const struct session *b)
{
	if (session_parameters(a)->udp != session_parameters(b)->udp)
		return false;
	if (session_parameters(a)->udp)
		return address_same_host(session_peer(a), session_peer(b));
	return turn_is_special(a) || turn_is_special(b);
}

bool turn_may_begin(const struct turns *turns, const struct turn *turn)
{
	const struct turn *other;
	bool earlier = true;

	TAILQ_FOREACH(other, turns, link)
	{
		if (other == turn) {
			earlier = false;
			continue;
		}
		/* Nobody overtakes one that has waited longer, else that might wait for ever. */
		if ((session_is_creating(other->session) ||
		     (earlier && session_is_waiting(other->session))) &&
		    conflict(turn->session, other->session))
			return false;
	}
	return true;
}

bool turn_is_waited_for(const struct turns *turns, const struct turn *turn)
{
	const struct turn *other;

	TAILQ_FOREACH(other, turns, link)
	if (session_is_waiting(other->session) && conflict(turn->session, other->session))
		return true;
	return false;
}
