/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The tree: a Debian for riscv64 as mmdebstrap unpacks it, nothing of it configured. It comes as an
 * archive, since without root only that can hold what belongs to root; we unpack it as ourselves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/command.h"
#include "harness/board/parts.h"
#include "harness/host/process.h"
#include "harness/measure/interrupt.h"

#define SUITE	      "trixie"
#define ATTEMPTS      3
#define ATTEMPT_PAUSE 5 /* seconds */

/* The headers and libraries of the cross build and of the tests; then what the board runs. */
#define PACKAGES                                                                          \
	"libc6-dev,linux-libc-dev,liburing-dev,libjansson-dev,libinih-dev,libcmocka-dev," \
	"linux-image-riscv64,busybox-static,dropbear-bin,iperf3,iproute2,ethtool"

#define ADVICE                                                                                \
	"needed: apt-get install mmdebstrap uidmap libarchive-tools, a network, and 2 GB of " \
	"disk; --mirror URL takes another mirror; started again it goes on from here"

/* This machine's own mirror of the main archive: the others may lag behind for riscv64. */
static void find_mirror(char *mirror, size_t size)
{
	static const char *const argv[] = { "apt-get", "indextargets",	       "--format",
					    "$(SITE)", "Created-By: Packages", NULL };
	const struct process_options options = { .argv = argv, .cpu = -1 };
	struct host_process *process;
	struct reason ignored;
	char *text = NULL, *rest;
	int status;

	*mirror = '\0';
	if (process_start(&options, &process, &ignored))
		return;
	if (host_wait(process, 10 * NS_PER_S, &status) == HOST_WAIT_DONE)
		text = host_output_text(process, HOST_STDOUT);
	rest = text;
	for (char *line; rest && (line = strsep(&rest, "\n"));) {
		size_t length = strlen(line);

		if (length > 7 && !strcmp(line + length - 7, "/debian")) {
			snprintf(mirror, size, "%s", line);
			break;
		}
	}
	free(text);
	host_close_process(process);
}

static int get_packages(const struct board_build *build, const char *archive, const char *log,
			struct reason *reason)
{
	char found[256] = "";
	const char *const argv[] = { "mmdebstrap",
				     "--arch=riscv64",
				     "--variant=extract",
				     "--include=" PACKAGES,
				     SUITE,
				     archive,
				     build->mirror ? build->mirror : found,
				     NULL };
	struct command command = { .argv = argv,
				   .log = log,
				   .what = "Debian for riscv64",
				   .advice = ADVICE,
				   .limit_s = 600 };

	if (!build->mirror)
		find_mirror(found, sizeof(found));
	if (!build->mirror && !*found)
		snprintf(found, sizeof(found), "http://deb.debian.org/debian");
	for (int attempt = 1;; attempt++) {
		int status;

		unlink(archive);
		status = command_run(&command, reason);
		if (!status)
			return 0;
		if (status == COMMAND_NOT_STARTED || attempt == ATTEMPTS || interrupt_seen())
			return -1;
		fprintf(stderr, "harness: board build: mmdebstrap failed, attempt %d of %d\n",
			attempt, ATTEMPTS);
		sleep(ATTEMPT_PAUSE);
	}
}

/* base-files would bring these: the linker scripts of the C library name /lib. */
static int merge_usr(const char *tree, struct reason *reason)
{
	static const char *const names[] = { "bin", "lib", "sbin" };
	char path[BOARD_PATH_SIZE], target[16];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (board_path(path, reason, tree, "%s", names[i]))
			return -1;
		snprintf(target, sizeof(target), "usr/%s", names[i]);
		if (access(path, F_OK) && symlink(target, path))
			return reason_set(reason, "%s: cannot be made", path);
	}
	return 0;
}

static int unpack(const char *archive, const char *tree, const char *log, struct reason *reason)
{
	const char *const argv[] = { "bsdtar",
				     "-x",
				     "-f",
				     archive,
				     "-C",
				     tree,
				     "--no-same-owner",
				     "--exclude",
				     "./dev",
				     "--exclude",
				     "./var",
				     "--exclude",
				     "./usr/share/doc",
				     "--exclude",
				     "./usr/share/man",
				     "--exclude",
				     "./usr/share/locale",
				     NULL };
	const struct command command = {
		.argv = argv, .log = log, .what = "unpacking it", .advice = ADVICE, .limit_s = 300
	};

	return board_remove(tree, reason) || board_make_folder(tree, reason) ||
			       command_run(&command, reason) || merge_usr(tree, reason)
		       ? -1
		       : 0;
}

int part_tree(const struct board_build *build, struct reason *reason)
{
	static const char key[] = SUITE " " PACKAGES "\n";
	char tree[BOARD_PATH_SIZE], new[BOARD_PATH_SIZE], archive[BOARD_PATH_SIZE],
		log[BOARD_PATH_SIZE];
	int status;

	if (board_path(tree, reason, build->folder, "tree") ||
	    board_path(new, reason, build->folder, "tree.new") ||
	    board_path(archive, reason, build->folder, "tree.tar") ||
	    board_path(log, reason, build->folder, "log/tree.log"))
		return -1;
	if (board_is_made(tree, key))
		return 0;
	status = get_packages(build, archive, log, reason) || unpack(archive, new, log, reason) ||
				 board_commit(tree, key, reason)
			 ? -1
			 : 0;
	unlink(archive);
	return status;
}
