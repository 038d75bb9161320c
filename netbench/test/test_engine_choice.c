/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which engine is opened: by name, and by what the kernel lets us do. A child process forbids
 * itself a system call, as containers and emulators do, and looks at what it gets.
 */
#define _GNU_SOURCE
#include "netbench/test/engine_test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define WHY_BYTES    512
#define CHILD_UNABLE 99

/* Makes a system call fail with an errno from now on; false: filters are not to be had. */
static bool forbid(unsigned int call, unsigned int error)
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = 4, .filter = instructions };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* What engine_open("auto") gives with that call forbidden: description and reason, through a pipe.
 */
static void open_without(unsigned int call, unsigned int error, char *answer, size_t answer_bytes)
{
	int pipe_fds[2], status;
	ssize_t bytes;
	pid_t child;

	check(pipe(pipe_fds), "pipe");
	child = fork();
	check(child, "fork");
	if (child == 0) {
		char why[WHY_BYTES] = "";
		struct engine *engine;

		if (!forbid(call, error))
			_exit(CHILD_UNABLE);
		engine = engine_open("auto", &(struct engine_options){ .workers = 1 }, why,
				     sizeof(why));
		dprintf(pipe_fds[1], "%s: %s", engine ? engine_describe(engine) : "none", why);
		_exit(0);
	}
	close(pipe_fds[1]);
	bytes = read(pipe_fds[0], answer, answer_bytes - 1);
	answer[bytes > 0 ? bytes : 0] = '\0';
	close(pipe_fds[0]);
	check(waitpid(child, &status, 0), "waitpid");
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_UNABLE) {
		print_message("# no system call filters here\n");
		skip();
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void threads_take_over_when_io_uring_is_forbidden(void **state)
{
	static const struct {
		unsigned int call, error;
		const char *reason;
	} cases[] = {
		{ SYS_io_uring_setup, ENOSYS, "ENOSYS" },
		{ SYS_io_uring_setup, EPERM, "EPERM" },
		{ SYS_io_uring_enter, EPERM, "EPERM" },
		{ SYS_io_uring_enter, ENOSYS, "ENOSYS" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char answer[WHY_BYTES];

		open_without(cases[i].call, cases[i].error, answer, sizeof(answer));
		if (strncmp(answer, "threads", 7) != 0 || !strstr(answer, ": io_uring: ") ||
		    !strstr(answer, cases[i].reason) || !strstr(answer, "; using threads"))
			fail_msg("case %zu: %s", i, answer);
	}
}

/* Without buffer rings, as before Linux 5.19, and without anything else amiss. */
static void a_lower_tier_is_found_by_trying(void **state)
{
	struct engine *engine;
	char why[WHY_BYTES], answer[WHY_BYTES];

	(void)state;
	engine = engine_open("uring", &(struct engine_options){ .workers = 1 }, why, sizeof(why));
	if (!engine) {
		print_message("# %s\n", why);
		skip();
	}
	engine_close(engine);
	open_without(SYS_io_uring_register, ENOSYS, answer, sizeof(answer));
	if (strncmp(answer, "uring tier C", 12) != 0)
		fail_msg("without buffer rings: %s", answer);
}

static void unknown_names_and_options_are_refused(void **state)
{
	static const struct engine_options bad[] = {
		{ .source_align = 64 },
		{ .destination_align = 64 },
		{ .ring_bytes = 1 },
		{ .slot_bytes = ENGINE_SLOT_BYTES_MIN - 1 },
		{ .slot_bytes = ENGINE_SLOT_BYTES_MAX + 1 },
		{ .workers = ENGINE_WORKERS_MAX + 1 },
	};
	char why[WHY_BYTES];

	(void)state;
	assert_null(engine_open("lwip2", &(struct engine_options){ 0 }, why, sizeof(why)));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(why, "lwip2"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		if (engine_open("threads", &bad[i], why, sizeof(why)) || errno != EINVAL)
			fail_msg("options %zu were taken, errno %d", i, errno);
	}
}

static void every_name_in_the_table_is_known(void **state)
{
	(void)state;
	assert_string_equal(engine_name(0), "uring");
	assert_string_equal(engine_name(1), "threads");
	assert_null(engine_name(2));
	for (size_t i = 0; engine_name(i); i++) {
		char why[WHY_BYTES];
		struct engine *engine = engine_open(
			engine_name(i), &(struct engine_options){ .workers = 1 }, why, sizeof(why));

		if (!engine && errno == EINVAL)
			fail_msg("%s: %s", engine_name(i), why);
		if (!engine)
			continue;
		assert_string_equal(engine_name_of(engine), engine_name(i));
		assert_int_equal(
			strncmp(engine_describe(engine), engine_name(i), strlen(engine_name(i))),
			0);
		engine_close(engine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_take_over_when_io_uring_is_forbidden),
		cmocka_unit_test(a_lower_tier_is_found_by_trying),
		cmocka_unit_test(unknown_names_and_options_are_refused),
		cmocka_unit_test(every_name_in_the_table_is_known),
	};

	return cmocka_run_group_tests_name("choice of the engine", tests, NULL, NULL);
}
