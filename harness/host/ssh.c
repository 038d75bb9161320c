/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * SSH: the connection is an ssh of its own, a child that stays; others go through its socket, which
 * lies in a folder that only we can enter.
 */
#define _GNU_SOURCE /* asprintf() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/host/process.h"
#include "harness/host/ssh.h"
#include "harness/measure/interrupt.h"

#define COMMAND_LIMIT_NS (30 * NS_PER_S)
#define FETCH_LIMIT_NS	 (300 * NS_PER_S)
#define POLL_NS		 (NS_PER_S / 50)

struct ssh {
	char folder[64]; /* of the socket: its path must be short */
	char control[96];
	char destination[256];
	struct host_process *master;
};

static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	/* A socket's path has about 100 characters. */
	return folder && *folder == '/' && strlen(folder) < 32 ? folder : "/tmp";
}

static void master_command(const struct ssh *ssh, const struct ssh_options *options, char *port,
			   size_t port_size, char *control, size_t control_size,
			   const char *argv[40])
{
	static const char *const always[] = { "ssh",
					      "-N",
					      "-M",
					      "-o",
					      "BatchMode=yes",
					      "-o",
					      "ServerAliveInterval=10",
					      "-o",
					      "ServerAliveCountMax=3",
					      NULL };
	static const char *const ours[] = { "-F", "none",
					    "-o", "IdentitiesOnly=yes",
					    "-o", "StrictHostKeyChecking=no",
					    "-o", "UserKnownHostsFile=/dev/null",
					    "-o", "LogLevel=ERROR",
					    NULL };
	size_t count = 0;

	for (size_t i = 0; always[i]; i++)
		argv[count++] = always[i];
	snprintf(control, control_size, "ControlPath=%s", ssh->control);
	argv[count++] = "-o";
	argv[count++] = control;
	for (size_t i = 0; options->key && ours[i]; i++)
		argv[count++] = ours[i];
	if (options->key) {
		argv[count++] = "-i";
		argv[count++] = options->key;
	}
	if (options->port) {
		snprintf(port, port_size, "%u", options->port);
		argv[count++] = "-p";
		argv[count++] = port;
	}
	argv[count++] = "--";
	argv[count++] = ssh->destination;
	argv[count] = NULL;
}

/* The connection stands when its socket is there. */
static int wait_for_socket(struct ssh *ssh, unsigned int limit_s, struct reason *reason)
{
	for (int64_t waited_ns = 0; waited_ns < limit_s * NS_PER_S; waited_ns += POLL_NS) {
		enum host_wait waited;
		int status;

		if (!access(ssh->control, F_OK))
			return 0;
		waited = host_wait(ssh->master, POLL_NS, &status);
		if (waited == HOST_WAIT_INTERRUPTED)
			return reason_set(reason, "ssh %s: interrupted", ssh->destination);
		if (waited != HOST_WAIT_TIMEOUT) {
			char *said = host_output_text(ssh->master, HOST_STDERR);

			if (said && *said && said[strlen(said) - 1] == '\n')
				said[strlen(said) - 1] = '\0';
			reason_set(reason, "ssh %s: %s", ssh->destination,
				   said && *said ? said : "no connection");
			free(said);
			return -1;
		}
	}
	return reason_set(reason, "ssh %s: no connection within %u s", ssh->destination, limit_s);
}

struct ssh *ssh_open(const struct ssh_options *options, unsigned int limit_s, struct reason *reason)
{
	struct ssh *ssh = calloc(1, sizeof(*ssh));
	struct process_options process = { .cpu = -1,
					   .enter = options->enter,
					   .context = options->context };
	char port[16], control[128];
	const char *argv[40];

	if (!ssh) {
		reason_no_memory(reason);
		return NULL;
	}
	snprintf(ssh->destination, sizeof(ssh->destination), "%s", options->destination);
	snprintf(ssh->folder, sizeof(ssh->folder), "%s/netbench.XXXXXX", temporary_folder());
	if (!mkdtemp(ssh->folder)) {
		reason_set(reason, "%s: %s", ssh->folder, strerror(errno));
		free(ssh);
		return NULL;
	}
	snprintf(ssh->control, sizeof(ssh->control), "%s/ssh", ssh->folder);
	master_command(ssh, options, port, sizeof(port), control, sizeof(control), argv);
	process.argv = argv;
	if (process_start(&process, &ssh->master, reason)) {
		reason_prefix(reason, "package openssh-client");
		ssh_close(ssh);
		return NULL;
	}
	if (wait_for_socket(ssh, limit_s, reason)) {
		ssh_close(ssh);
		return NULL;
	}
	return ssh;
}

void ssh_close(struct ssh *ssh)
{
	if (!ssh)
		return;
	host_close_process(ssh->master);
	unlink(ssh->control);
	rmdir(ssh->folder);
	free(ssh);
}

bool ssh_is_connected(const struct ssh *ssh)
{
	return !access(ssh->control, F_OK);
}

void ssh_command(const struct ssh *ssh, const char *argv[SSH_WORDS], bool terminal,
		 const char *command)
{
	const char *const words[] = { "ssh",	    "-F",
				      "none",	    "-S",
				      ssh->control, terminal ? "-tt" : "-T",
				      "--",	    ssh->destination };
	size_t count = sizeof(words) / sizeof(words[0]);

	memcpy(argv, words, sizeof(words));
	argv[count++] = command;
	argv[count] = NULL;
}

char *ssh_quote(const char *word)
{
	char *quoted = malloc(4 * strlen(word) + 3);
	char *to = quoted;

	if (!quoted)
		return NULL;
	*to++ = '\'';
	for (; *word; word++)
		if (*word == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *word;
	strcpy(to, "'");
	return quoted;
}

char *ssh_join(const char *const *words)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	bool whole = out;

	for (size_t i = 0; out && words[i]; i++) {
		char *quoted = ssh_quote(words[i]);

		whole = whole && quoted;
		fprintf(out, "%s%s", i ? " " : "", quoted ? quoted : "");
		free(quoted);
	}
	if (out && fclose(out))
		whole = false;
	if (!whole) {
		free(text);
		return NULL;
	}
	return text;
}

int ssh_run(struct ssh *ssh, const char *command, const char *input, char **answer,
	    struct reason *reason)
{
	const char *argv[SSH_WORDS];
	const struct process_options options = { .argv = argv, .input = input, .cpu = -1 };
	struct host_process *process;
	enum host_wait waited;
	int status = 0, result = -1;

	if (answer)
		*answer = NULL;
	if (!ssh_is_connected(ssh))
		return reason_set(reason, "ssh %s: the connection is gone", ssh->destination);
	ssh_command(ssh, argv, false, command);
	if (process_start(&options, &process, reason))
		return -1;
	waited = host_wait(process, COMMAND_LIMIT_NS, &status);
	if (waited == HOST_WAIT_DONE && WIFEXITED(status) && WEXITSTATUS(status) != 255)
		result = WEXITSTATUS(status);
	else if (waited == HOST_WAIT_INTERRUPTED)
		reason_set(reason, "ssh %s: interrupted", ssh->destination);
	else if (waited == HOST_WAIT_TIMEOUT)
		reason_set(reason, "ssh %s: no end within 30 s: %s", ssh->destination, command);
	else
		reason_set(reason, "ssh %s: the connection broke: %s", ssh->destination, command);
	if (result >= 0 && answer) {
		*answer = host_output_text(process, HOST_STDOUT);
		if (!*answer)
			result = reason_no_memory(reason);
	}
	host_close_process(process);
	return result;
}

/* Both outputs go into the file: what ssh itself has to say comes only when it fails. */
static int fetch_into(struct ssh *ssh, const char *from, int fd, struct reason *reason)
{
	const char *argv[SSH_WORDS];
	struct process_options options = { .argv = argv, .cpu = -1, .log_fd = fd };
	struct host_process *process;
	char *quoted = ssh_quote(from), *command = NULL;
	enum host_wait waited;
	int status = 0, result = -1;

	if (!quoted || asprintf(&command, "cat -- %s 2>/dev/null", quoted) < 0) {
		free(quoted);
		return reason_no_memory(reason);
	}
	free(quoted);
	ssh_command(ssh, argv, false, command);
	if (!process_start(&options, &process, reason)) {
		waited = host_wait(process, FETCH_LIMIT_NS, &status);
		if (waited == HOST_WAIT_DONE && !status)
			result = 0;
		else
			reason_set(reason, "ssh %s: %s cannot be read", ssh->destination, from);
		host_close_process(process);
	}
	free(command);
	return result;
}

int ssh_fetch(struct ssh *ssh, const char *from, const char *to, struct reason *reason)
{
	char *new;
	int fd, status;

	if (asprintf(&new, "%s.new", to) < 0)
		return reason_no_memory(reason);
	fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		status = reason_set(reason, "%s: %s", new, strerror(errno));
	} else {
		status = fetch_into(ssh, from, fd, reason);
		if (close(fd) && !status)
			status = reason_set(reason, "%s: %s", new, strerror(errno));
		if (!status && rename(new, to))
			status = reason_set(reason, "%s: %s", to, strerror(errno));
		if (status)
			unlink(new);
	}
	free(new);
	return status;
}
