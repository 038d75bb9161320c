/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Programs: PATH is searched as a shell does it; versions are asked of the programs themselves. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/measure/iperf3.h"
#include "harness/measure/programs.h"

#define VERSION_LIMIT_NS INT64_C(5000000000)

static bool is_program(const char *path)
{
	struct stat file;

	return !stat(path, &file) && S_ISREG(file.st_mode) && !access(path, X_OK);
}

static bool find_in_path(const char *name, char *found, size_t size)
{
	const char *folder = getenv("PATH");

	while (folder && *folder) {
		int length = (int)strcspn(folder, ":");

		if ((size_t)snprintf(found, size, "%.*s/%s", length, folder, name) < size &&
		    is_program(found))
			return true;
		folder += length;
		folder += *folder == ':';
	}
	return false;
}

static bool find_beside_us(const char *name, char *found, size_t size)
{
	char us[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", us, sizeof(us) - 1);
	char *slash;

	if (length <= 0)
		return false;
	us[length] = '\0';
	slash = strrchr(us, '/');
	if (!slash)
		return false;
	slash[1] = '\0';
	return (size_t)snprintf(found, size, "%s%s", us, name) < size && is_program(found);
}

/* The first line of what `PROGRAM --version` prints; empty if it prints none in time. */
static void ask_version(struct host *host, const char *path, char *line, size_t size)
{
	const char *const argv[] = { path, "--version", NULL };
	struct host_process *process;
	struct reason ignored;
	char *text;
	int status;

	*line = '\0';
	if (host_start(host, argv, &process, &ignored))
		return;
	if (host_wait(process, VERSION_LIMIT_NS, &status) == HOST_WAIT_DONE) {
		text = host_output_text(process, HOST_STDOUT);
		if (text)
			snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
		free(text);
	}
	host_close_process(process);
}

static int find_here(struct programs *programs, struct reason *reason)
{
	if (!find_in_path("iperf3", programs->iperf3, sizeof(programs->iperf3)))
		return reason_set(
			reason,
			"iperf3: not in PATH; install the package iperf3: "
			"apt-get install iperf3 (Debian, Ubuntu), dnf install iperf3 (Fedora)");
	if (!find_beside_us("netbench", programs->netbench, sizeof(programs->netbench)) &&
	    !find_in_path("netbench", programs->netbench, sizeof(programs->netbench)))
		return reason_set(
			reason,
			"netbench: neither beside this program nor in PATH; build it by `make`");
	return 0;
}

int programs_find(struct host *host, struct programs *programs, struct reason *reason)
{
	static const char ours[] = "netbench ";
	char line[128];

	memset(programs, 0, sizeof(*programs));
	if (!host_is_this_machine(host)) {
		snprintf(programs->iperf3, sizeof(programs->iperf3), "iperf3");
		snprintf(programs->netbench, sizeof(programs->netbench), "netbench");
	} else if (find_here(programs, reason)) {
		return -1;
	}
	ask_version(host, programs->iperf3, line, sizeof(line));
	iperf3_read_version(line, programs->iperf3_version, sizeof(programs->iperf3_version));
	if (!host_is_this_machine(host) && !*programs->iperf3_version)
		return reason_set(reason, "iperf3: not in PATH on the other machine; install the "
					  "package iperf3 there");
	ask_version(host, programs->netbench, line, sizeof(line));
	if (!strncmp(line, ours, strlen(ours)))
		snprintf(programs->netbench_version, sizeof(programs->netbench_version), "%.31s",
			 line + strlen(ours));
	return 0;
}
