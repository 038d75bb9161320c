/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A host at the other end of SSH: what host.h asks for, done by a shell there. A program writes its
 * own process id into a file before it begins, so that it can be asked about and ended: the end of
 * our ssh alone would leave it running.
 */
#define _GNU_SOURCE /* asprintf() */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/host/process.h"
#include "harness/host/ssh.h"

#define FIRST_PORT 5201 /* iperf3's */

struct ssh_host {
	struct host host;
	struct ssh *ssh;
	char prefix[64];
	char folder[128];
	char interface[16];
	unsigned int started; /* programs, so that each has a file of its own */
	unsigned int mtu_bytes;
};

/* A program of such a host. */
struct ssh_program {
	struct ssh_host *host;
	char file[160]; /* with its process id in it */
};

static struct ssh_host *ssh_of(struct host *host)
{
	return (struct ssh_host *)host; /* its first member */
}

/* Runs a command with what goes before it. The exit status, or -1 with the reason. */
static int run(struct ssh_host *host, const char *input, char **answer, struct reason *reason,
	       const char *format, ...) __attribute__((format(printf, 5, 6)));
static int run(struct ssh_host *host, const char *input, char **answer, struct reason *reason,
	       const char *format, ...)
{
	char *text, *quoted, *command = NULL;
	va_list arguments;
	int status = -1;

	if (answer)
		*answer = NULL;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	quoted = text ? ssh_quote(text) : NULL;
	if (!quoted || asprintf(&command, "%s sh -c %s", host->prefix, quoted) < 0)
		reason_no_memory(reason);
	else
		status = ssh_run(host->ssh, command, input, answer, reason);
	free(command);
	free(quoted);
	free(text);
	return status;
}

/* -- programs ------------------------------------------------------------------------------- */

static void program_end(void *context)
{
	struct ssh_program *program = context;
	struct reason ignored;

	/* It gets half a second to end by itself, as a child of ours gets. */
	run(program->host, NULL, NULL, &ignored,
	    "read -r pid <%s && kill \"$pid\" && "
	    "for i in 1 2 3 4 5; do kill -0 \"$pid\" 2>/dev/null || exit 0; sleep 0.1; done; "
	    "kill -9 \"$pid\"",
	    program->file);
}

static int64_t program_cpu_time_ns(void *context)
{
	struct ssh_program *program = context;
	struct reason ignored;
	char *answer = NULL, *rest;
	unsigned long long user, kernel, per_s = 0;
	int64_t ns = -1;

	if (!run(program->host, NULL, &answer, &ignored,
		 "read -r pid <%s && cat \"/proc/$pid/stat\" && getconf CLK_TCK 2>/dev/null || "
		 "echo 100",
		 program->file)) {
		/* The name, in parentheses, may have anything in it. */
		rest = strrchr(answer, ')');
		if (rest &&
		    sscanf(rest + 1,
			   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*[^\n]"
			   " %llu",
			   &user, &kernel, &per_s) == 3 &&
		    per_s)
			ns = (int64_t)((user + kernel) * (NS_PER_S / per_s));
	}
	free(answer);
	return ns;
}

static void program_free(void *context)
{
	struct ssh_program *program = context;
	struct reason ignored;

	run(program->host, NULL, NULL, &ignored, "rm -f %s", program->file);
	free(program);
}

static int ssh_host_start(struct host *host, const char *const *argv, struct host_process **process,
			  struct reason *reason)
{
	struct ssh_host *ssh = ssh_of(host);
	struct ssh_program *program = calloc(1, sizeof(*program));
	struct process_options options = { .cpu = -1 };
	const char *words[SSH_WORDS];
	char *joined = ssh_join(argv), *command = NULL, *inner = NULL, *quoted = NULL;
	int status = -1;

	if (!program || !joined) {
		reason_no_memory(reason);
		goto out;
	}
	program->host = ssh;
	snprintf(program->file, sizeof(program->file), "%s/%u.pid", ssh->folder, ssh->started++);
	if (asprintf(&inner, "echo $$ >%s; exec taskset -c %u %s", program->file, host->cpu,
		     joined) < 0)
		inner = NULL;
	quoted = inner ? ssh_quote(inner) : NULL;
	if (!quoted || asprintf(&command, "exec %s sh -c %s", ssh->prefix, quoted) < 0) {
		reason_no_memory(reason);
		goto out;
	}
	ssh_command(ssh->ssh, words, false, command);
	options.argv = words;
	options.elsewhere = (struct process_elsewhere){ .context = program,
							.end = program_end,
							.cpu_time_ns = program_cpu_time_ns,
							.free = program_free };
	status = process_start(&options, process, reason);
out:
	if (status)
		free(program);
	free(command);
	free(quoted);
	free(inner);
	free(joined);
	return status;
}

/* -- files and settings --------------------------------------------------------------------- */

static ssize_t ssh_host_read_file(struct host *host, const char *path, char *text, size_t size)
{
	char *quoted = ssh_quote(path), *answer = NULL;
	struct reason ignored;
	size_t length;
	int status;

	if (!quoted) {
		errno = ENOMEM;
		return -1;
	}
	status = run(ssh_of(host), NULL, &answer, &ignored, "cat %s 2>/dev/null", quoted);
	free(quoted);
	if (status) {
		free(answer);
		errno = status < 0 ? EIO : ENOENT;
		return -1;
	}
	length = strlen(answer);
	while (length && answer[length - 1] == '\n')
		length--;
	if (length >= size)
		length = size - 1;
	memcpy(text, answer, length);
	text[length] = '\0';
	free(answer);
	return (ssize_t)length;
}

static int ssh_host_write_file(struct host *host, const char *path, const char *text)
{
	char *quoted = ssh_quote(path);
	struct reason ignored;
	int status;

	if (!quoted) {
		errno = ENOMEM;
		return -1;
	}
	status = run(ssh_of(host), text, NULL, &ignored, "cat >%s 2>/dev/null", quoted);
	free(quoted);
	errno = status ? EIO : 0;
	return status ? -1 : 0;
}

static int ssh_host_set_mtu(struct host *host, unsigned int mtu_bytes, struct reason *reason)
{
	struct ssh_host *ssh = ssh_of(host);
	int status;

	if (ssh->mtu_bytes == mtu_bytes)
		return 0;
	status = run(ssh, NULL, NULL, reason, "ip link set dev %s mtu %u", ssh->interface,
		     mtu_bytes);
	if (status > 0)
		reason_set(reason, "MTU %u on %s: refused; does its driver take that?", mtu_bytes,
			   ssh->interface);
	if (!status)
		ssh->mtu_bytes = mtu_bytes;
	return status ? -1 : 0;
}

static unsigned int ssh_host_mtu(struct host *host)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "/sys/class/net/%s/mtu", ssh_of(host)->interface);
	return ssh_host_read_file(host, path, text, sizeof(text)) > 0
		       ? (unsigned int)strtoul(text, NULL, 10)
		       : 0;
}

static int ssh_host_check_congestion(struct host *host, const char *name, struct reason *reason)
{
	char available[256] = "";
	const char *found;
	size_t length = strlen(name);

	ssh_host_read_file(host, "/proc/sys/net/ipv4/tcp_available_congestion_control", available,
			   sizeof(available));
	for (found = available; (found = strstr(found, name)); found += length)
		if ((found == available || found[-1] == ' ') &&
		    (!found[length] || found[length] == ' '))
			return 0;
	return reason_set(reason,
			  "TCP congestion control %s: the board's kernel has: %s; take one "
			  "by --congestion",
			  name, *available ? available : "none");
}

static unsigned int ssh_host_free_port(struct host *host, struct reason *reason)
{
	char *answer = NULL;
	unsigned int port = 0;
	int status;

	/* The first of 200 that no line of these tables has as its local port. */
	status = run(ssh_of(host), NULL, &answer, reason,
		     "taken=$(cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6 "
		     "2>/dev/null); port=%u; while [ $port -lt %u ]; do hex=$(printf %%04X $port); "
		     "case $taken in *:$hex' '*:*) port=$((port + 1)) ;; *) echo $port; break ;; "
		     "esac; done",
		     FIRST_PORT, FIRST_PORT + 200);
	if (!status)
		port = (unsigned int)strtoul(answer, NULL, 10);
	free(answer);
	/* A connection that broke has said so. */
	if (!port && status >= 0)
		reason_set(reason, "no free port of %d to %d on the board", FIRST_PORT,
			   FIRST_PORT + 199);
	return port;
}

static void ssh_host_close(struct host *host)
{
	free(host);
}

static const struct host_operations ssh_operations = {
	.close = ssh_host_close,
	.free_port = ssh_host_free_port,
	.set_mtu = ssh_host_set_mtu,
	.mtu = ssh_host_mtu,
	.check_congestion = ssh_host_check_congestion,
	.read_file = ssh_host_read_file,
	.write_file = ssh_host_write_file,
	.start = ssh_host_start,
};

struct host *ssh_host_create(struct ssh *ssh, const char *prefix, const char *folder,
			     const char *interface, const char *address, unsigned int cpu)
{
	struct ssh_host *host = calloc(1, sizeof(*host));

	if (!host)
		return NULL;
	host->host.operations = &ssh_operations;
	host->host.cpu = cpu;
	host->ssh = ssh;
	snprintf(host->host.address, sizeof(host->host.address), "%s", address);
	snprintf(host->prefix, sizeof(host->prefix), "%s", prefix);
	snprintf(host->folder, sizeof(host->folder), "%s", folder);
	snprintf(host->interface, sizeof(host->interface), "%s", interface);
	return &host->host;
}
