/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * harness board build: the parts of the virtual board, one after the other. A part that is there,
 * made from the same things, is not made again; so after a failure it goes on where it stopped.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/parts.h"
#include "harness/harness.h"
#include "harness/measure/interrupt.h"

static const struct part {
	const char *name;
	int (*make)(const struct board_build *build, struct reason *reason);
	const char *summary;
} parts[] = {
	{ "tree", part_tree, "a Debian for riscv64, by mmdebstrap" },
	{ "kernel", part_kernel, "Debian's kernel, taken from it" },
	{ "programs", part_programs, "netbench and harness, cross-built with it" },
	{ "key", part_key, "of SSH" },
	{ "initramfs", part_initramfs, "what the board boots into" },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

static int usage(FILE *out, int status)
{
	fputs("usage: harness board build [PART...] [--folder DIR] [--source DIR] [--mirror "
	      "URL]\n\n"
	      "Makes the parts of the virtual board that are missing or out of date, all or "
	      "these:\n",
	      out);
	for (size_t i = 0; i < PARTS; i++)
		fprintf(out, "  %-10s %s\n", parts[i].name, parts[i].summary);
	fputs("\n  --folder DIR   where it is made (" BOARD_FOLDER ")\n"
	      "  --source DIR   netbench's sources (where this harness was built, or .)\n"
	      "  --mirror URL   of Debian (this machine's own, if it is a Debian)\n"
	      "\nRoot is not needed. Packages: mmdebstrap uidmap libarchive-tools "
	      "gcc-riscv64-linux-gnu openssh-client\n",
	      out);
	return status;
}

static bool is_asked_for(const struct part *part, int argc, char **argv)
{
	if (!argc)
		return true;
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], part->name))
			return true;
	return false;
}

static int make_parts(const struct board_build *build, int argc, char **argv, struct reason *reason)
{
	char path[BOARD_PATH_SIZE];
	int lock;

	if (board_path(path, reason, build->folder, "log") || board_make_folder(path, reason) ||
	    board_path(path, reason, build->folder, "lock"))
		return -1;
	lock = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (lock < 0)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	if (flock(lock, LOCK_EX | LOCK_NB))
		return reason_set(reason,
				  "%s: another harness builds the board there; wait for "
				  "it, or take another --folder",
				  build->folder);
	for (size_t i = 0; i < PARTS; i++)
		if (is_asked_for(&parts[i], argc, argv) && parts[i].make(build, reason))
			return -1;
	return 0;
}

int board_build_main(int argc, char **argv)
{
	enum { OPTION_FOLDER = 256, OPTION_SOURCE, OPTION_MIRROR };
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "folder", required_argument, NULL, OPTION_FOLDER },
		{ "source", required_argument, NULL, OPTION_SOURCE },
		{ "mirror", required_argument, NULL, OPTION_MIRROR },
		{ NULL, 0, NULL, 0 },
	};
	struct board_build build = { .folder = BOARD_FOLDER };
	struct reason reason;
	int option;

	optind = 1;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0) {
		switch (option) {
		case 'h':
			return usage(stdout, HARNESS_GOOD);
		case OPTION_FOLDER:
			build.folder = optarg;
			break;
		case OPTION_SOURCE:
			build.source = optarg;
			break;
		case OPTION_MIRROR:
			build.mirror = optarg;
			break;
		default:
			return usage(stderr, HARNESS_USAGE);
		}
	}
	for (int i = optind; i < argc; i++) {
		size_t j = 0;

		while (j < PARTS && strcmp(argv[i], parts[j].name))
			j++;
		if (j == PARTS) {
			fprintf(stderr, "harness: board build: %s: no such part\n", argv[i]);
			return usage(stderr, HARNESS_USAGE);
		}
	}
	if (interrupt_open()) {
		fprintf(stderr, "harness: board build: signals cannot be watched: %s\n",
			strerror(errno));
		return HARNESS_USAGE;
	}
	if (!make_parts(&build, argc - optind, argv + optind, &reason)) {
		printf("%s: in %s; harness board boot starts it\n",
		       optind < argc ? "these parts are made" : "the virtual board is made",
		       build.folder);
		return HARNESS_GOOD;
	}
	reason_prefix(&reason, "board build");
	reason_print(&reason);
	return interrupt_seen() ? HARNESS_FAILED : HARNESS_USAGE;
}
