/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The board's own programs, cross-built from netbench's sources, and the key that lets us in. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/command.h"
#include "harness/board/parts.h"

/* A checkout, by what only it has. */
static bool is_source(const char *folder)
{
	char path[BOARD_PATH_SIZE + 32];

	snprintf(path, sizeof(path), "%s/copylib/variants.def", folder);
	return !access(path, R_OK);
}

int board_find_source(const struct board_build *build, char source[PATH_MAX], struct reason *reason)
{
	char us[PATH_MAX];
	ssize_t length;

	if (build->source) {
		if (!is_source(build->source) || !realpath(build->source, source))
			return reason_set(reason, "--source %s: these are not netbench's sources",
					  build->source);
		return 0;
	}
	/* We are SOURCE/build/ARCH/bin/harness, if we were not installed. */
	length = readlink("/proc/self/exe", us, sizeof(us) - 1);
	us[length > 0 ? length : 0] = '\0';
	for (int i = 0; i < 4; i++) {
		char *slash = strrchr(us, '/');

		if (slash)
			*slash = '\0';
	}
	if (is_source(us) && realpath(us, source))
		return 0;
	if (is_source(".") && realpath(".", source))
		return 0;
	return reason_set(reason, "netbench's sources are needed to build it for the board; run "
				  "this in a checkout, or say --source DIR");
}

int part_programs(const struct board_build *build, struct reason *reason)
{
	char source[PATH_MAX], tree[BOARD_PATH_SIZE], log[BOARD_PATH_SIZE], real[PATH_MAX];
	char sysroot[PATH_MAX + 16];
	/* What make of our caller was told is not for this one. */
	const char *const argv[] = { "env",
				     "-u",
				     "MAKEFLAGS",
				     "-u",
				     "MFLAGS",
				     "-u",
				     "MAKEOVERRIDES",
				     "-u",
				     "MAKELEVEL",
				     "-u",
				     "CC",
				     "-u",
				     "SANITIZE",
				     "make",
				     "-s",
				     "-j2",
				     "CROSS=riscv64",
				     sysroot,
				     "all",
				     NULL };
	const struct command command = {
		.argv = argv,
		.folder = source,
		.log = log,
		.what = "netbench for riscv64",
		.advice = "needed: apt-get install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
		.limit_s = 300
	};

	if (board_find_source(build, source, reason) ||
	    board_path(tree, reason, build->folder, "tree") ||
	    board_path(log, reason, build->folder, "log/programs.log"))
		return -1;
	if (!realpath(tree, real))
		return reason_set(reason, "%s: %s", tree, strerror(errno));
	snprintf(sysroot, sizeof(sysroot), "SYSROOT=%s", real);
	return command_run(&command, reason);
}

int part_key(const struct board_build *build, struct reason *reason)
{
	char key[BOARD_PATH_SIZE], new[BOARD_PATH_SIZE], public[BOARD_PATH_SIZE],
		new_public[BOARD_PATH_SIZE], log[BOARD_PATH_SIZE];
	const char *const argv[] = { "ssh-keygen",     "-q", "-t", "ed25519", "-N", "", "-C",
				     "netbench board", "-f", new,  NULL };
	const struct command command = { .argv = argv,
					 .log = log,
					 .what = "a key of SSH",
					 .advice = "needed: apt-get install openssh-client",
					 .limit_s = 30 };

	if (board_path(key, reason, build->folder, "key") ||
	    board_path(public, reason, build->folder, "key.pub") ||
	    board_path(new, reason, build->folder, "key.new") ||
	    board_path(new_public, reason, build->folder, "key.new.pub") ||
	    board_path(log, reason, build->folder, "log/key.log"))
		return -1;
	if (!access(key, R_OK) && !access(public, R_OK))
		return 0;
	unlink(new);
	if (command_run(&command, reason))
		return -1;
	if (rename(new_public, public) || rename(new, key))
		return reason_set(reason, "%s: %s", key, strerror(errno));
	return 0;
}
