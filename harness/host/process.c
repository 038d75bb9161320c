/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Process: forked, prepared and exec'd by hand, since the child has to enter namespaces and to be
 * pinned in between. Its output goes into memory files, so that it never waits for a reader; its
 * end is seen through a pidfd, beside an interrupt and a time limit. It leads a group of its own,
 * so that ^C reaches only us, and is killed by the kernel when we die.
 */
#define _GNU_SOURCE /* memfd_create(), pipe2(), CPU_SET() */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/host/process.h"
#include "harness/measure/interrupt.h"

#define OUTPUT_BYTES_MAX (16 * 1024 * 1024)
#define NS_PER_MS	 INT64_C(1000000)
#define STOP_LIMIT_NS	 (500 * NS_PER_MS) /* from asking a process to end to ending it */
#define LINE_POLL_NS	 (2 * NS_PER_MS)

struct host_process {
	pid_t pid;
	int pid_fd;
	int output_fd[2]; /* by enum host_output */
	bool ended;
	int status;
	int64_t cpu_time_ns; /* once it has ended */
	struct process_elsewhere elsewhere;
};

/* How far a child got, when it could not go on to exec. */
struct child_failure {
	enum { CHILD_ENTER, CHILD_PIN, CHILD_OUTPUT, CHILD_FOLDER, CHILD_EXEC } stage;
	int error;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int pin_to(int cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	int error;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	error = sched_setaffinity(0, size, set) ? errno : 0;
	CPU_FREE(set);
	return error;
}

/* Asks the kernel to kill us with our parent; after the namespaces, since a change of credentials
 * takes the request back. */
static int die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		return errno;
	return getppid() == parent ? 0 : ESRCH;
}

/* The child up to exec; returns only on failure. */
static struct child_failure child_run(const struct process_options *options, int input_fd,
				      const int output_fd[2], pid_t parent)
{
	int log_fd = options->log_fd;
	int error;

	interrupt_reset_in_child();
	setpgid(0, 0);
	error = options->enter ? options->enter(options->context) : 0;
	if (!error)
		error = die_with(parent);
	if (error)
		return (struct child_failure){ CHILD_ENTER, error };
	error = options->cpu >= 0 ? pin_to(options->cpu) : 0;
	if (error)
		return (struct child_failure){ CHILD_PIN, error };
	if (dup2(input_fd, STDIN_FILENO) < 0 ||
	    dup2(log_fd ? log_fd : output_fd[HOST_STDOUT], STDOUT_FILENO) < 0 ||
	    dup2(log_fd ? log_fd : output_fd[HOST_STDERR], STDERR_FILENO) < 0)
		return (struct child_failure){ CHILD_OUTPUT, errno };
	if (options->folder && chdir(options->folder))
		return (struct child_failure){ CHILD_FOLDER, errno };
	execvp(options->argv[0], (char *const *)(uintptr_t)options->argv);
	return (struct child_failure){ CHILD_EXEC, errno };
}

static int explain(const struct process_options *options, const struct child_failure *failure,
		   struct reason *reason)
{
	const char *why = strerror(failure->error);

	switch (failure->stage) {
	case CHILD_ENTER:
		return reason_set(reason, "%s: cannot enter its network namespace: %s",
				  options->argv[0], why);
	case CHILD_PIN:
		return reason_set(reason, "%s: cannot be pinned to CPU %d: %s", options->argv[0],
				  options->cpu, why);
	case CHILD_OUTPUT:
		return reason_set(reason, "%s: its output cannot be kept: %s", options->argv[0],
				  why);
	case CHILD_FOLDER:
		return reason_set(reason, "%s: cannot run in %s: %s", options->argv[0],
				  options->folder, why);
	case CHILD_EXEC:
		break;
	}
	return reason_set(reason, "%s: cannot be started: %s", options->argv[0], why);
}

/* A memory file with this text in it, at its beginning; -1 with errno. */
static int memory_file(const char *name, const char *text)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	size_t length = strlen(text);

	if (fd < 0)
		return -1;
	if (pwrite(fd, text, length, 0) != (ssize_t)length) {
		close(fd);
		return -1;
	}
	return fd;
}

static void process_free(struct host_process *process)
{
	for (int i = 0; i < 2; i++)
		if (process->output_fd[i] >= 0)
			close(process->output_fd[i]);
	if (process->pid_fd >= 0)
		close(process->pid_fd);
	if (process->elsewhere.free)
		process->elsewhere.free(process->elsewhere.context);
	free(process);
}

/* Collects the end of a child that is known to have ended. */
static int reap(struct host_process *process)
{
	struct rusage usage;

	if (wait4(process->pid, &process->status, 0, &usage) != process->pid)
		return -1;
	process->ended = true;
	process->cpu_time_ns = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
			       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * INT64_C(1000);
	return 0;
}

/* Forks with a pipe that exec closes: what comes through it is why there was no exec. */
static int launch(const struct process_options *options, int input_fd, struct host_process *process,
		  struct reason *reason)
{
	struct child_failure failure;
	pid_t parent = getpid();
	int failure_pipe[2];
	ssize_t got;

	if (pipe2(failure_pipe, O_CLOEXEC))
		return reason_set(reason, "%s: no pipe: %s", options->argv[0], strerror(errno));
	process->pid = fork();
	if (process->pid == 0) {
		failure = child_run(options, input_fd, process->output_fd, parent);
		got = write(failure_pipe[1], &failure, sizeof(failure));
		_exit(got == sizeof(failure) ? 127 : 126);
	}
	close(failure_pipe[1]);
	if (process->pid < 0) {
		close(failure_pipe[0]);
		return reason_set(reason, "%s: no process: %s", options->argv[0], strerror(errno));
	}
	do
		got = read(failure_pipe[0], &failure, sizeof(failure));
	while (got < 0 && errno == EINTR);
	close(failure_pipe[0]);
	if (got == sizeof(failure)) {
		reap(process);
		return explain(options, &failure, reason);
	}
	process->pid_fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (process->pid_fd < 0) {
		reason_set(reason, "%s: cannot be watched: %s (Linux 5.3 or later is needed)",
			   options->argv[0], strerror(errno));
		kill(process->pid, SIGKILL);
		reap(process);
		return -1;
	}
	return 0;
}

int process_start(const struct process_options *options, struct host_process **started,
		  struct reason *reason)
{
	struct host_process *process = calloc(1, sizeof(*process));
	int input_fd, result = -1;

	if (!process)
		return reason_no_memory(reason);
	process->pid_fd = -1;
	process->output_fd[HOST_STDOUT] = memory_file("stdout", "");
	process->output_fd[HOST_STDERR] = memory_file("stderr", "");
	input_fd = memory_file("stdin", options->input ? options->input : "");
	if (process->output_fd[HOST_STDOUT] < 0 || process->output_fd[HOST_STDERR] < 0 ||
	    input_fd < 0)
		reason_set(reason, "%s: no memory file: %s", options->argv[0], strerror(errno));
	else
		result = launch(options, input_fd, process, reason);
	if (input_fd >= 0)
		close(input_fd);
	if (result) {
		process_free(process);
		return result;
	}
	process->elsewhere = options->elsewhere;
	*started = process;
	return 0;
}

pid_t process_id(const struct host_process *process)
{
	return process->pid;
}

int process_call(int (*enter)(const void *context), const void *enter_context,
		 int (*work)(void *context), void *context)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		return errno;
	if (child == 0) {
		int error = enter ? enter(enter_context) : 0;

		_exit(error ? error : work(context));
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

enum host_wait host_wait(struct host_process *process, int64_t limit_ns, int *status)
{
	struct pollfd fds[] = { { .fd = process->pid_fd, .events = POLLIN },
				{ .fd = interrupt_fd(), .events = POLLIN } };
	int64_t end_ns = now_ns() + limit_ns;

	while (!process->ended) {
		int64_t left_ns = end_ns - now_ns();
		struct timespec left = { left_ns / NS_PER_S, left_ns % NS_PER_S };

		if (left_ns <= 0)
			return HOST_WAIT_TIMEOUT;
		if (ppoll(fds, 2, &left, NULL) < 0 && errno != EINTR)
			return HOST_WAIT_ERROR;
		if (fds[0].revents && reap(process))
			return HOST_WAIT_ERROR;
		if (!process->ended && fds[1].revents)
			return HOST_WAIT_INTERRUPTED;
	}
	*status = process->status;
	return HOST_WAIT_DONE;
}

/* Is there a whole line that begins so? */
static bool has_line(const char *text, const char *beginning)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, beginning, strlen(beginning)) && strchr(line, '\n'))
			return true;
	}
	return false;
}

enum host_wait host_wait_line(struct host_process *process, const char *beginning, int64_t limit_ns)
{
	int64_t end_ns = now_ns() + limit_ns;

	for (;;) {
		char *text = host_output_text(process, HOST_STDOUT);
		bool found = text && has_line(text, beginning);
		enum host_wait waited;
		int status;

		if (!text) {
			errno = ENOMEM;
			return HOST_WAIT_ERROR;
		}
		free(text);
		if (found)
			return HOST_WAIT_DONE;
		if (process->ended)
			return HOST_WAIT_ENDED;
		if (now_ns() >= end_ns)
			return HOST_WAIT_TIMEOUT;
		waited = host_wait(process, LINE_POLL_NS, &status);
		if (waited == HOST_WAIT_INTERRUPTED || waited == HOST_WAIT_ERROR)
			return waited;
	}
}

int64_t host_cpu_time_ns(struct host_process *process)
{
	struct timespec used;
	clockid_t clock;

	if (process->elsewhere.cpu_time_ns)
		return process->elsewhere.cpu_time_ns(process->elsewhere.context);
	if (process->ended)
		return process->cpu_time_ns;
	if (clock_getcpuclockid(process->pid, &clock) || clock_gettime(clock, &used))
		return -1;
	return used.tv_sec * NS_PER_S + used.tv_nsec;
}

char *host_output_text(struct host_process *process, enum host_output which)
{
	int fd = process->output_fd[which];
	struct stat file;
	size_t size = 0, got = 0;
	char *text;

	/* The child writes where its descriptor stands, which is ours too: so only pread() from
	 * here. */
	if (!fstat(fd, &file))
		size = file.st_size > OUTPUT_BYTES_MAX ? OUTPUT_BYTES_MAX : (size_t)file.st_size;
	text = malloc(size + 1);
	if (!text)
		return NULL;
	while (got < size) {
		ssize_t part = pread(fd, text + got, size - got, (off_t)got);

		if (part <= 0)
			break;
		got += (size_t)part;
	}
	text[got] = '\0';
	return text;
}

/* What the process has started itself is of its group, and ends with it. */
void host_end(struct host_process *process)
{
	struct pollfd fd = { .fd = process->pid_fd, .events = POLLIN };

	if (process->ended)
		return;
	if (process->elsewhere.end) {
		process->elsewhere.end(process->elsewhere.context);
		poll(&fd, 1, STOP_LIMIT_NS / NS_PER_MS);
	}
	kill(-process->pid, SIGTERM);
	poll(&fd, 1, STOP_LIMIT_NS / NS_PER_MS);
	kill(-process->pid, SIGKILL);
	reap(process);
}

void host_close_process(struct host_process *process)
{
	if (!process)
		return;
	host_end(process);
	process_free(process);
}
