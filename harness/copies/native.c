/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The process that is tried in, and the one that watches it. See native.h. They share a page: the
 * call that is being made, how many there were, and the results. The calls themselves are made by
 * native_call.c.
 */
#define _GNU_SOURCE /* strsignal, MAP_ANONYMOUS */
#include "harness/copies/native.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/copies/native_call.h"
#include "harness/measure/interrupt.h"

#define LOOK_NS	   (2 * 1000 * 1000)
#define BYTES_A_S  ((size_t)16 << 20) /* a slower routine is none */
#define NS_PER_S   1000000000ULL
#define NEAR_BYTES 65536 /* a crash farther from the buffers has nothing to do with them */

static unsigned int endless_s = NATIVE_ENDLESS_S;

void native_set_limit(unsigned int seconds)
{
	endless_s = seconds;
}

struct shared {
	struct native_now now; /* the call that is being made */
	atomic_uint_fast64_t calls;
	_Atomic double part;
	atomic_bool done;
	struct trials_result result;
	struct judge_verdict verdict;
};

/* In the child. */
struct attempt {
	struct shared *shared;
	struct native_memory *memory;
	const struct copy_variant *variant;
};

const char *native_place(void)
{
	static char place[96];
	struct utsname machine;
	const char *emulator = copy_emulator();

	if (!place[0] && uname(&machine) == 0)
		snprintf(place, sizeof(place), "%s%s%s", machine.machine, emulator ? " under " : "",
			 emulator ? emulator : "");
	return place;
}

bool native_has(const struct copy_variant *variant, size_t function)
{
	return native_routine(variant, (enum copy_function)(1u << function)) &&
	       copy_variant_runs_here(variant);
}

/* -- the child ----------------------------------------------------------------------------- */

static void attempt_call(void *context, const struct judge_call *call,
			 struct judge_verdict *verdict)
{
	struct attempt *attempt = context;

	native_call(attempt->memory, attempt->variant, call, &attempt->shared->now, verdict);
	atomic_fetch_add(&attempt->shared->calls, 1);
}

static void note_part(void *context, double part)
{
	struct attempt *attempt = context;

	atomic_store(&attempt->shared->part, part);
}

static struct attempt begin_child(struct shared *shared, const struct copy_variant *variant)
{
	struct attempt attempt = { .shared = shared, .variant = variant };
	char why[128];
	int nowhere;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	interrupt_reset_in_child();
	/* A group of its own, so that what it forks ends with it; and what it prints is no result.
	 */
	setpgid(0, 0);
	nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nowhere >= 0) {
		dup2(nowhere, STDIN_FILENO);
		dup2(nowhere, STDOUT_FILENO);
	}
	attempt.memory = native_memory_create(&shared->now, why, sizeof(why));
	if (!attempt.memory) {
		shared->result.wrong = 1;
		shared->verdict = (struct judge_verdict){ .right = true };
		judge_wrong(&shared->verdict, "could not be tried: %s", why);
		memcpy(shared->result.problem, shared->verdict.problem,
		       sizeof(shared->result.problem));
		_exit(0);
	}
	return attempt;
}

/* -- the parent ---------------------------------------------------------------------------- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t limit_ns(const struct shared *shared)
{
	const struct judge_call *call = &shared->now.call;
	size_t bytes = judge_possible_bytes(call);

	return (endless_s + bytes / BYTES_A_S) * NS_PER_S;
}

static void print_crash(const struct native_now *now, int number, char *text, size_t text_bytes)
{
	const char *name = strsignal(number);
	intptr_t from_dst = (intptr_t)(now->fault_address - now->dst);
	intptr_t from_src = (intptr_t)(now->fault_address - now->src);
	intptr_t near = (intptr_t)now->call.bytes + NEAR_BYTES;

	if (!now->fault_address)
		snprintf(text, text_bytes, "crashed: %s", name);
	else if (labs(from_dst) > near && labs(from_src) > near)
		snprintf(text, text_bytes, "crashed: %s at address 0x%llx", name,
			 (unsigned long long)now->fault_address);
	else if (labs(from_dst) < labs(from_src))
		snprintf(text, text_bytes, "crashed: %s at destination %+td, of %zu bytes", name,
			 from_dst, now->call.bytes);
	else
		snprintf(text, text_bytes, "crashed: %s at source %+td, of %zu bytes", name,
			 from_src, now->call.bytes);
}

/*
 * Waits for the child. False: it ended before it was done, or never would have; problem says so.
 */
static bool watch(pid_t child, struct shared *shared, void (*progress)(void *context, double part),
		  void *context, char *problem, size_t problem_bytes)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	uint64_t calls = 0, since_ns = now_ns();
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
		uint64_t its = atomic_load(&shared->calls);

		if (interrupt_seen()) {
			kill(-child, SIGKILL);
			waitpid(child, &status, 0);
			snprintf(problem, problem_bytes, "interrupted");
			return false;
		}
		if (its != calls) {
			calls = its;
			since_ns = now_ns();
		} else if (now_ns() - since_ns > limit_ns(shared)) {
			kill(-child, SIGKILL);
			waitpid(child, &status, 0);
			snprintf(problem, problem_bytes, "did not end within %llu s",
				 (unsigned long long)(limit_ns(shared) / NS_PER_S));
			return false;
		}
		if (progress)
			progress(context, atomic_load(&shared->part));
		nanosleep(&look, NULL);
	}
	kill(-child, SIGKILL); /* what it left behind */
	if (atomic_load(&shared->done))
		return true;
	if (ended < 0) {
		snprintf(problem, problem_bytes, "could not be watched: %s", strerror(errno));
		return false;
	}
	if (interrupt_seen()) { /* the child may have seen it first */
		snprintf(problem, problem_bytes, "interrupted");
		return false;
	}
	if (WIFSIGNALED(status))
		print_crash(&shared->now, WTERMSIG(status), problem, problem_bytes);
	else
		snprintf(problem, problem_bytes, "ended the program, with exit status %d",
			 WEXITSTATUS(status));
	return false;
}

static struct shared *share(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return shared == MAP_FAILED ? NULL : shared;
}

/* A child that cannot be had is a problem of the case that it was to try. */
static pid_t begin(struct shared **shared, char *problem, size_t problem_bytes)
{
	pid_t child = -1;

	fflush(NULL);
	*shared = share();
	if (*shared)
		child = fork();
	if (child > 0)
		setpgid(child, child); /* whoever comes first */
	if (child < 0)
		snprintf(problem, problem_bytes, "could not be tried: %s", strerror(errno));
	return child;
}

static void end(struct shared *shared)
{
	if (shared)
		munmap(shared, sizeof(*shared));
}

void native_function(const struct copy_variant *variant, size_t function,
		     const struct trials_range *range, void (*progress)(void *context, double part),
		     void *context, struct trials_result *result)
{
	struct shared *shared;
	pid_t child;

	*result = (struct trials_result){ .wrong = 1 };
	child = begin(&shared, result->problem, sizeof(result->problem));
	if (child == 0) {
		struct attempt attempt = begin_child(shared, variant);
		const struct trials_runner runner = { .run = attempt_call,
						      .progress = note_part,
						      .context = &attempt };

		trials_run(&runner, (enum copy_function)(1u << function), 0, range,
			   &shared->result);
		atomic_store(&shared->done, true);
		_exit(0);
	}
	if (child > 0 &&
	    watch(child, shared, progress, context, result->problem, sizeof(result->problem))) {
		*result = shared->result;
	} else if (child > 0) {
		result->first_wrong = shared->now.call;
		result->calls = atomic_load(&shared->calls);
		result->stopped = interrupt_seen();
	}
	end(shared);
}

void native_case(const struct copy_variant *variant, const struct judge_call *call,
		 struct judge_verdict *verdict)
{
	char problem[JUDGE_PROBLEM_BYTES];
	struct shared *shared;
	pid_t child;

	*verdict = (struct judge_verdict){ .right = true };
	child = begin(&shared, problem, sizeof(problem));
	if (child == 0) {
		struct attempt attempt = begin_child(shared, variant);

		attempt_call(&attempt, call, &shared->verdict);
		atomic_store(&shared->done, true);
		_exit(0);
	}
	if (child > 0 && watch(child, shared, NULL, NULL, problem, sizeof(problem)))
		*verdict = shared->verdict;
	else
		judge_wrong(verdict, "%s", problem);
	end(shared);
}
