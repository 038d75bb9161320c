/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counter: a connection for each command, so that a QEMU that has ended is noticed at once. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/host/counter.h"

#define PLUGIN	       "netbench-counter.so"
#define ANSWER_LIMIT_S 60
#define PATH_SIZE      128

int counter_make_folder(char *folder, size_t size, struct reason *reason)
{
	const char *temporary = getenv("TMPDIR");

	if (!temporary || *temporary != '/' || strlen(temporary) > 32)
		temporary = "/tmp";
	snprintf(folder, size, "%s/netbench-qemu.XXXXXX", temporary);
	if (!mkdtemp(folder))
		return reason_set(reason, "%s: %s", folder, strerror(errno));
	return 0;
}

static void path_of(const char *folder, const char *name, char path[PATH_SIZE])
{
	snprintf(path, PATH_SIZE, "%s/%s", folder, name);
}

void counter_clean(const char *folder)
{
	static const char *const names[] = { "counts", "socket" };
	char path[PATH_SIZE];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path_of(folder, names[i], path);
		unlink(path);
	}
	rmdir(folder);
}

/* Where the build and make install put it: in lib/ beside our bin/. */
int counter_option(const char *folder, char *option, size_t size, struct reason *reason)
{
	char us[PATH_MAX], plugin[PATH_MAX + 32];
	ssize_t length = readlink("/proc/self/exe", us, sizeof(us) - 1);
	char *slash;

	us[length > 0 ? length : 0] = '\0';
	for (int i = 0; i < 2; i++) {
		slash = strrchr(us, '/');
		if (slash)
			*slash = '\0';
	}
	snprintf(plugin, sizeof(plugin), "%s/lib/" PLUGIN, us);
	if (access(plugin, R_OK))
		return reason_set(reason, "%s: %s; build it by `make`", plugin, strerror(errno));
	if ((size_t)snprintf(option, size, "%s,out=%s/counts,socket=%s/socket", plugin, folder,
			     folder) >= size ||
	    strchr(plugin, ','))
		return reason_set(reason, "%s: QEMU takes no plugin at such a path", plugin);
	return 0;
}

/* Sends a line, and reads the errno that comes back. */
static int command(const char *folder, const char *line, struct reason *reason)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct timeval limit = { .tv_sec = ANSWER_LIMIT_S };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char path[PATH_SIZE], answer[16];
	ssize_t length = -1;

	path_of(folder, "socket", path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%.*s",
		 (int)sizeof(address.sun_path) - 1, path);
	if (fd >= 0 && !connect(fd, (const struct sockaddr *)&address, sizeof(address)) &&
	    !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) &&
	    send(fd, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line))
		length = read(fd, answer, sizeof(answer) - 1);
	if (length <= 0)
		reason_set(reason, "the counter in QEMU does not answer: %s",
			   length < 0 ? strerror(errno) : "it has ended");
	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return -1;
	answer[length] = '\0';
	if (strcmp(answer, "0\n") != 0)
		return reason_set(reason, "the counter in QEMU cannot write its counts: %s",
				  strerror((int)strtol(answer, NULL, 10)));
	return 0;
}

int counter_begin(const char *folder, struct reason *reason)
{
	char path[PATH_SIZE];

	path_of(folder, "counts", path);
	unlink(path);
	return command(folder, "begin\n", reason);
}

int counter_end(const char *folder, struct counts *counts, struct reason *reason)
{
	char path[PATH_SIZE];
	FILE *file;
	int status;

	if (command(folder, "end\n", reason))
		return -1;
	path_of(folder, "counts", path);
	file = fopen(path, "re");
	if (!file)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	status = counts_read(file, counts, reason);
	fclose(file);
	return status;
}
