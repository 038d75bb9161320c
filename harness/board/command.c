/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Command: a host process whose output goes to a log, with a line on the terminal every second. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/board/command.h"
#include "harness/host/process.h"

#define LAST_LINES	 6
#define LAST_LINES_BYTES 4096

char *command_last_lines(const char *path, unsigned int lines)
{
	FILE *file = fopen(path, "r");
	char *text = calloc(1, LAST_LINES_BYTES + 1);
	char *from;
	size_t length;

	if (!file || !text) {
		if (file)
			fclose(file);
		free(text);
		return NULL;
	}
	if (fseek(file, -LAST_LINES_BYTES, SEEK_END))
		rewind(file);
	length = fread(text, 1, LAST_LINES_BYTES, file);
	fclose(file);
	while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		text[--length] = '\0';
	for (from = text + length; from > text && lines; from--)
		if (from[-1] == '\n' && !--lines)
			break;
	memmove(text, from, strlen(from) + 1);
	return text;
}

static int explain(const struct command *command, const char *how, struct reason *reason)
{
	char *said = command_last_lines(command->log, LAST_LINES);

	reason_set(reason, "%s: %s %s%s%.700s\n  the whole is in %s%s%s", command->what,
		   command->argv[0], how, said && *said ? "; it said last:\n" : "",
		   said ? said : "", command->log, command->advice ? "\n  " : "",
		   command->advice ? command->advice : "");
	free(said);
	return -1;
}

static enum host_wait wait_with_progress(const struct command *command,
					 struct host_process *process, int *status)
{
	bool terminal = isatty(STDERR_FILENO);
	enum host_wait waited = HOST_WAIT_TIMEOUT;

	for (unsigned int s = 0; s < command->limit_s && waited == HOST_WAIT_TIMEOUT; s++) {
		if (terminal)
			fprintf(stderr, "\r\033[K%s ... %u s", command->what, s);
		waited = host_wait(process, NS_PER_S, status);
	}
	if (terminal)
		fputs("\r\033[K", stderr);
	return waited;
}

int command_run(const struct command *command, struct reason *reason)
{
	struct process_options options = { .argv = command->argv,
					   .cpu = -1,
					   .folder = command->folder };
	struct host_process *process;
	enum host_wait waited;
	int status = 0, result = 0;
	char how[64];

	options.log_fd = open(command->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (options.log_fd < 0)
		return reason_set(reason, "%s: %s: %s", command->what, command->log,
				  strerror(errno));
	result = process_start(&options, &process, reason);
	close(options.log_fd);
	if (result) {
		size_t used;

		reason_prefix(reason, "%s", command->what);
		used = strlen(reason->text);
		if (command->advice)
			snprintf(reason->text + used, sizeof(reason->text) - used, "\n  %s",
				 command->advice);
		return COMMAND_NOT_STARTED;
	}
	waited = wait_with_progress(command, process, &status);
	host_close_process(process);
	if (waited == HOST_WAIT_INTERRUPTED)
		return reason_set(reason, "%s: interrupted", command->what);
	if (waited == HOST_WAIT_DONE && !status)
		return 0;
	if (waited == HOST_WAIT_TIMEOUT)
		snprintf(how, sizeof(how), "did not end within %u s", command->limit_s);
	else if (waited == HOST_WAIT_DONE && WIFSIGNALED(status))
		snprintf(how, sizeof(how), "was ended by signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "failed");
	return explain(command, how, reason);
}
