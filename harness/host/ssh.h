/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * SSH: one connection to a machine, shared by everything that is run there (OpenSSH's
 * ControlMaster), so that a command costs a round trip and no handshake.
 */
#ifndef HARNESS_HOST_SSH_H
#define HARNESS_HOST_SSH_H

#include <stdbool.h>

#include "harness/host/host.h"

struct ssh;

struct ssh_options {
	const char *destination; /* user@name, or name */
	unsigned int port;	 /* 0: ssh's own choice */
	/* Of a virtual board that we have started: its key, and no check of who answers, since that
	 * is behind a port of ours. NULL: keys, agent and known hosts as the user has them. */
	const char *key;
	/* To reach it from another network namespace; called in the child before exec. */
	int (*enter)(const void *context);
	const void *context;
};

/** Connects, within limit_s. Returns NULL with the reason. */
struct ssh *ssh_open(const struct ssh_options *options, unsigned int limit_s,
		     struct reason *reason);

void ssh_close(struct ssh *ssh);

/** Is the connection still there? */
bool ssh_is_connected(const struct ssh *ssh);

/**
 * Writes the command line that runs ssh over the connection, up to 16 words and NULL; terminal:
 * with one of the board's, for a shell. command NULL: a login shell. The words live as long as the
 * ssh.
 */
#define SSH_WORDS 16
void ssh_command(const struct ssh *ssh, const char *argv[SSH_WORDS], bool terminal,
		 const char *command);

/** Quotes a word for the shell at the other end; to be freed; NULL: no memory. */
char *ssh_quote(const char *word);

/** Joins words into a command for that shell, each quoted; to be freed; NULL: no memory. */
char *ssh_join(const char *const *words);

/**
 * Runs a command of the shell to its end. answer (to be freed) gets its standard output, unless it
 * is NULL. Returns its exit status, or -1 with the reason: no connection, no end within 30 s, or
 * interrupted.
 */
int ssh_run(struct ssh *ssh, const char *command, const char *input, char **answer,
	    struct reason *reason);

/** Copies a file from there to a local path, whole or not at all. 0, or -1 with the reason. */
int ssh_fetch(struct ssh *ssh, const char *from, const char *to, struct reason *reason);

/**
 * A host at the other end. prefix: words that go before each command ("ip netns exec peer"), or "".
 * folder: an empty folder of the other machine, for files of this host's. The connection must
 * outlive the host. NULL: no memory.
 */
struct host *ssh_host_create(struct ssh *ssh, const char *prefix, const char *folder,
			     const char *interface, const char *address, unsigned int cpu);

#endif
