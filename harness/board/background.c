/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Background: a process is known by its id and by what its command line names, since ids return. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/board/background.h"
#include "harness/host/interface.h"

#define FIRST_PORT   2222
#define PORTS	     200
#define STOP_LIMIT_S 10
#define POLL_NS	     50000000

static bool read_number(const char *path, unsigned int *number)
{
	FILE *file = fopen(path, "re");
	bool read = file && fscanf(file, "%u", number) == 1;

	if (file)
		fclose(file);
	return read;
}

/* Is it the QEMU of this pid file? */
static bool is_ours(pid_t pid, const char *pid_file)
{
	char path[64], words[16384];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(words, 1, sizeof(words) - 1, file);
	fclose(file);
	words[length] = '\0';
	for (size_t i = 0; i < length; i += strlen(words + i) + 1)
		if (!strcmp(words + i, pid_file))
			return true;
	return false;
}

pid_t background_find(const char *folder, unsigned int *ssh_port, struct reason *reason)
{
	char real[PATH_MAX], pid_file[BOARD_PATH_SIZE], port_file[BOARD_PATH_SIZE];
	unsigned int pid;

	if (!realpath(folder, real))
		return 0;
	if (board_path(pid_file, reason, real, "run/pid") ||
	    board_path(port_file, reason, real, "run/port"))
		return -1;
	if (!read_number(pid_file, &pid) || !is_ours((pid_t)pid, pid_file) ||
	    !read_number(port_file, ssh_port))
		return 0;
	return (pid_t)pid;
}

static int choose_port(unsigned int *port, struct reason *reason)
{
	for (*port = FIRST_PORT; *port < FIRST_PORT + PORTS; ++*port)
		if (interface_port_is_free("127.0.0.1", *port))
			return 0;
	return reason_set(reason, "no free port of %d to %d for the board's SSH", FIRST_PORT,
			  FIRST_PORT + PORTS - 1);
}

static int write_port(const char *path, unsigned int port, struct reason *reason)
{
	FILE *file = fopen(path, "we");

	if (file)
		fprintf(file, "%u\n", port);
	if (!file || (ferror(file) | fclose(file)))
		return reason_set(reason, "%s: %s", path, strerror(errno));
	return 0;
}

int background_boot(struct machine_options *options, struct reason *reason)
{
	char real[PATH_MAX], run[BOARD_PATH_SIZE], pid_file[BOARD_PATH_SIZE],
		port_file[BOARD_PATH_SIZE], console[BOARD_PATH_SIZE];
	struct machine *machine;
	struct reason ignored;
	pid_t pid;

	pid = background_find(options->folder, &options->ssh_port, reason);
	if (pid)
		return pid < 0 ? -1
			       : reason_set(reason,
					    "the board runs already (process %d); "
					    "harness board stop ends it",
					    (int)pid);
	if (!realpath(options->folder, real))
		return reason_set(reason, "%s: %s; make it by: harness board build",
				  options->folder, strerror(errno));
	if (board_path(run, reason, real, "run") || board_make_folder(run, reason) ||
	    board_path(pid_file, reason, real, "run/pid") ||
	    board_path(port_file, reason, real, "run/port") ||
	    board_path(console, reason, real, "run/console.log") ||
	    choose_port(&options->ssh_port, reason) ||
	    write_port(port_file, options->ssh_port, reason))
		return -1;
	options->pid_file = pid_file;
	options->console = console;
	machine = machine_start(options, reason);
	if (machine) {
		machine_close(machine);
		return 0;
	}
	/* A board that hangs is not left behind. */
	background_stop(options->folder, &ignored);
	return -1;
}

struct ssh *background_connect(const char *folder, struct reason *reason)
{
	unsigned int port;
	pid_t pid = background_find(folder, &port, reason);

	if (!pid)
		reason_set(reason, "the board does not run; start it by: harness board boot");
	return pid > 0 ? machine_connect(folder, port, reason) : NULL;
}

static bool has_ended_within(pid_t pid, const char *pid_file, unsigned int limit_s)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	for (int64_t waited_ns = 0; waited_ns < limit_s * NS_PER_S; waited_ns += POLL_NS) {
		if (!is_ours(pid, pid_file))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

int background_stop(const char *folder, struct reason *reason)
{
	char real[PATH_MAX], pid_file[BOARD_PATH_SIZE];
	unsigned int port;
	pid_t pid = background_find(folder, &port, reason);

	if (!pid)
		return reason_set(reason, "the board does not run");
	if (pid < 0 || !realpath(folder, real) || board_path(pid_file, reason, real, "run/pid"))
		return -1;
	/* Nothing in it is worth a way down of its own: its file systems are in memory. */
	kill(pid, SIGTERM);
	if (!has_ended_within(pid, pid_file, STOP_LIMIT_S)) {
		kill(pid, SIGKILL);
		if (!has_ended_within(pid, pid_file, STOP_LIMIT_S))
			return reason_set(reason, "process %d does not end", (int)pid);
	}
	unlink(pid_file);
	return 0;
}
