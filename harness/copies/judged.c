/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Trials by the judge. See judged.h. */
#include "harness/copies/judged.h"

#include "harness/measure/interrupt.h"

struct judged {
	struct judge *judge;
	void (*progress)(void *context, double part);
	void *progress_context;
};

static void run(void *context, const struct judge_call *call, struct judge_verdict *verdict)
{
	const struct judged *judged = context;

	judge_run(judged->judge, call, verdict);
}

static void progress(void *context, double part)
{
	const struct judged *judged = context;

	if (judged->progress)
		judged->progress(judged->progress_context, part);
}

void judged_function(struct judge *judge, const struct subject *subject, size_t function,
		     const struct trials_range *range, void (*show)(void *context, double part),
		     void *context, struct trials_result *result)
{
	struct judged judged = { .judge = judge, .progress = show, .progress_context = context };
	const struct trials_runner runner = {
		.run = run, .progress = progress, .stops = interrupt_seen, .context = &judged
	};

	trials_run(&runner, (enum copy_function)(1u << function), subject->entry[function], range,
		   result);
}
