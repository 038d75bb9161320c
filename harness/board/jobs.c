/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* harness board boot, shell, run and stop: a board in the background, and what is done in it. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/board/background.h"
#include "harness/harness.h"
#include "harness/measure/interrupt.h"

static int fail(const char *job, struct reason *reason)
{
	reason_prefix(reason, "board %s", job);
	reason_print(reason);
	return interrupt_seen() ? HARNESS_FAILED : HARNESS_USAGE;
}

/* -- boot ----------------------------------------------------------------------------------- */

static int boot_usage(FILE *out, int status)
{
	fprintf(out,
		"usage: harness board boot [--kernel NAME] [--cpu MODEL] [--cores N]\n"
		"                          [--memory MIB] [--append WORDS] [--limit SECONDS]\n"
		"                          [--folder DIR]\n\n"
		"Boots the virtual board and leaves it running; harness board stop ends it.\n\n"
		"  --kernel NAME  of those in FOLDER/kernel (" MACHINE_DEFAULT_KERNEL ")\n"
		"  --cpu MODEL    as QEMU names it (" MACHINE_DEFAULT_CPU
		"): sifive-u54 has plain rv64gc,\n"
		"                 rva22s64 Zba and Zbb, rva23s64 V\n"
		"  --cores N      1 to %d (%d)\n"
		"  --memory MIB   %d to %d (%d)\n"
		"  --append WORDS for the kernel, beyond its own: kunit.enable=1 runs its tests\n"
		"  --limit SECONDS  after which a board that is not up hangs, and is ended (%d)\n"
		"  --folder DIR   of the board (" BOARD_FOLDER ")\n",
		MACHINE_CORES_MAX, MACHINE_DEFAULT_CORES, MACHINE_MEMORY_MIB_MIN,
		MACHINE_MEMORY_MIB_MAX, MACHINE_DEFAULT_MEMORY_MIB, MACHINE_DEFAULT_LIMIT_S);
	return status;
}

static bool read_number(const char *job, const char *option, const char *text, unsigned int low,
			unsigned int high, unsigned int *number)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || value < low || value > high) {
		fprintf(stderr, "harness: board %s: --%s %s: a number from %u to %u is allowed\n",
			job, option, text, low, high);
		return false;
	}
	*number = (unsigned int)value;
	return true;
}

int board_boot_main(int argc, char **argv)
{
	enum {
		OPTION_FOLDER = 256,
		OPTION_KERNEL,
		OPTION_CPU,
		OPTION_CORES,
		OPTION_MEMORY,
		OPTION_LIMIT,
		OPTION_APPEND
	};
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "folder", required_argument, NULL, OPTION_FOLDER },
		{ "kernel", required_argument, NULL, OPTION_KERNEL },
		{ "cpu", required_argument, NULL, OPTION_CPU },
		{ "cores", required_argument, NULL, OPTION_CORES },
		{ "memory", required_argument, NULL, OPTION_MEMORY },
		{ "limit", required_argument, NULL, OPTION_LIMIT },
		{ "append", required_argument, NULL, OPTION_APPEND },
		{ NULL, 0, NULL, 0 },
	};
	struct machine_options machine = { .folder = BOARD_FOLDER,
					   .kernel = MACHINE_DEFAULT_KERNEL,
					   .cpu = MACHINE_DEFAULT_CPU,
					   .cores = MACHINE_DEFAULT_CORES,
					   .memory_mib = MACHINE_DEFAULT_MEMORY_MIB,
					   .nic = MACHINE_DEFAULT_NIC,
					   .limit_s = MACHINE_DEFAULT_LIMIT_S };
	struct reason reason;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0) {
		bool good = true;

		switch (option) {
		case 'h':
			return boot_usage(stdout, HARNESS_GOOD);
		case OPTION_FOLDER:
			machine.folder = optarg;
			break;
		case OPTION_KERNEL:
			machine.kernel = optarg;
			break;
		case OPTION_CPU:
			machine.cpu = optarg;
			break;
		case OPTION_CORES:
			good = read_number("boot", "cores", optarg, 1, MACHINE_CORES_MAX,
					   &machine.cores);
			break;
		case OPTION_MEMORY:
			good = read_number("boot", "memory", optarg, MACHINE_MEMORY_MIB_MIN,
					   MACHINE_MEMORY_MIB_MAX, &machine.memory_mib);
			break;
		case OPTION_APPEND:
			machine.append = optarg;
			break;
		case OPTION_LIMIT:
			good = read_number("boot", "limit", optarg, 1, 3600, &machine.limit_s);
			break;
		default:
			return boot_usage(stderr, HARNESS_USAGE);
		}
		if (!good)
			return HARNESS_USAGE;
	}
	if (optind < argc) {
		fprintf(stderr, "harness: board boot: %s: no such option\n", argv[optind]);
		return boot_usage(stderr, HARNESS_USAGE);
	}
	if (interrupt_open()) {
		reason_set(&reason, "signals cannot be watched: %s", strerror(errno));
		return fail("boot", &reason);
	}
	if (background_boot(&machine, &reason))
		return fail("boot", &reason);
	printf("the board is up; its SSH is at 127.0.0.1:%u, its console in %s/run/console.log\n",
	       machine.ssh_port, machine.folder);
	return HARNESS_GOOD;
}

/* -- shell, run, stop ----------------------------------------------------------------------- */

static int usage(FILE *out, const char *job, int status)
{
	static const char *const texts[][2] = {
		{ "shell", "usage: harness board shell [--folder DIR]\n\nA shell in the board.\n" },
		{ "stop", "usage: harness board stop [--folder DIR]\n\nEnds the board.\n" },
		{ "run", "usage: harness board run [--fetch FILE=TO]... [--folder DIR] [--] "
			 "[COMMAND...]\n\n"
			 "Runs a command in the board and exits with its status; then copies FILE "
			 "of the board to TO.\n" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i][0], job))
			fputs(texts[i][1], out);
	return status;
}

/* Runs ssh with our terminal, and returns its exit status, or -1 with the reason. */
static int run_over(const struct ssh *ssh, bool terminal, const char *command,
		    struct reason *reason)
{
	const char *argv[SSH_WORDS];
	int status = 0;
	pid_t child;

	ssh_command(ssh, argv, terminal, command);
	child = fork();
	if (child < 0)
		return reason_set(reason, "no process: %s", strerror(errno));
	if (child == 0) {
		interrupt_reset_in_child();
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return reason_set(reason, "%s", strerror(errno));
	return WIFEXITED(status) ? WEXITSTATUS(status) : HARNESS_FAILED;
}

/* FILE=TO. */
static int fetch(struct ssh *ssh, const char *fetched, struct reason *reason)
{
	const char *equals = strrchr(fetched, '=');
	char from[PATH_MAX];

	if (!equals || equals == fetched || !equals[1])
		return reason_set(reason, "--fetch %s: FILE=TO is wanted", fetched);
	snprintf(from, sizeof(from), "%.*s", (int)(equals - fetched), fetched);
	return ssh_fetch(ssh, from, equals + 1, reason);
}

struct visit {
	const char *folder;
	const char *fetched[32];
	size_t fetches;
};

/* The exit status, or -1: usage was told or asked for, *status is what to exit with. */
static int read_visit(int argc, char **argv, struct visit *visit, int *status)
{
	enum { OPTION_FOLDER = 256, OPTION_FETCH };
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "folder", required_argument, NULL, OPTION_FOLDER },
		{ "fetch", required_argument, NULL, OPTION_FETCH },
		{ NULL, 0, NULL, 0 },
	};
	bool is_run = !strcmp(argv[0], "run");
	int option;

	*visit = (struct visit){ .folder = BOARD_FOLDER };
	optind = 1;
	/* '+': what stands behind the command is the command's. */
	while ((option = getopt_long(argc, argv, "+h", options, NULL)) >= 0) {
		if (option == 'h') {
			*status = usage(stdout, argv[0], HARNESS_GOOD);
			return -1;
		}
		if (option == OPTION_FOLDER) {
			visit->folder = optarg;
		} else if (option == OPTION_FETCH && is_run &&
			   visit->fetches < sizeof(visit->fetched) / sizeof(visit->fetched[0])) {
			visit->fetched[visit->fetches++] = optarg;
		} else {
			*status = usage(stderr, argv[0], HARNESS_USAGE);
			return -1;
		}
	}
	if (is_run ? optind == argc && !visit->fetches : optind < argc) {
		if (is_run)
			fputs("harness: board run: which command?\n", stderr);
		else
			fprintf(stderr, "harness: board %s: %s: nothing is expected here\n",
				argv[0], argv[optind]);
		*status = usage(stderr, argv[0], HARNESS_USAGE);
		return -1;
	}
	return 0;
}

int board_shell_main(int argc, char **argv)
{
	struct reason reason;
	struct visit visit;
	struct ssh *ssh;
	int status;

	if (read_visit(argc, argv, &visit, &status))
		return status;
	ssh = background_connect(visit.folder, &reason);
	if (!ssh)
		return fail("shell", &reason);
	status = run_over(ssh, isatty(STDIN_FILENO), NULL, &reason);
	ssh_close(ssh);
	return status < 0 ? fail("shell", &reason) : status;
}

/* One word is a line for the board's shell; of more, each stays the word that it is. */
static char *command_of(char *const *words)
{
	return words[1] ? ssh_join((const char *const *)words) : strdup(words[0]);
}

int board_run_main(int argc, char **argv)
{
	struct reason reason;
	struct visit visit;
	struct ssh *ssh;
	int status;

	if (read_visit(argc, argv, &visit, &status))
		return status;
	ssh = background_connect(visit.folder, &reason);
	if (!ssh)
		return fail("run", &reason);
	if (optind < argc) {
		char *command = command_of(argv + optind);

		status = command ? run_over(ssh, false, command, &reason)
				 : reason_no_memory(&reason);
		free(command);
	} else {
		status = HARNESS_GOOD;
	}
	for (size_t i = 0; i < visit.fetches && status >= 0; i++)
		if (fetch(ssh, visit.fetched[i], &reason))
			status = -1;
	ssh_close(ssh);
	return status < 0 ? fail("run", &reason) : status;
}

int board_stop_main(int argc, char **argv)
{
	struct reason reason;
	struct visit visit;
	int status;

	if (read_visit(argc, argv, &visit, &status))
		return status;
	return background_stop(visit.folder, &reason) ? fail("stop", &reason) : HARNESS_GOOD;
}
