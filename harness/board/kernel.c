/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * harness board kernel: kernels of Debian's source with routines of copylib in them. The source is
 * unpacked once, and all of them share one build folder, so that from the second on only what
 * differs is compiled.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/kernel_job.h"
#include "harness/board/parts.h"
#include "harness/board/patch.h"
#include "harness/harness.h"
#include "harness/measure/interrupt.h"

#define BUILD_LIMIT_S 3600

static int usage(FILE *out, int status)
{
	fputs("usage: harness board kernel NAME... [--add FILE] [--patch-only] [--rebuild]\n"
	      "                            [--linux DIR|FILE] [--folder DIR] [--source DIR]\n\n"
	      "Builds kernels for the virtual board, each with routines of copylib in the place of "
	      "its own.\n"
	      "NAME is a variant, several joined by +, or stock: linux+usercopy-bytes, fast. Each "
	      "brings what\n"
	      "it has of memcpy, memmove, memset and user copy; the rest stays as it is.\n\n"
	      "  --add FILE     your own routines, .S or .c, over those of the NAME (which may be "
	      "new then)\n"
	      "  --patch-only   print the patch instead, for a kernel of your own; with --linux "
	      "against that\n"
	      "  --rebuild      build what is built already\n"
	      "  --linux DIR|FILE  kernel source: a folder (for --patch-only), or a .tar.xz (the "
	      "one of the\n"
	      "                 package linux-source)\n"
	      "  --folder DIR   of the board (" BOARD_FOLDER ")\n"
	      "  --source DIR   netbench's sources (where this harness was built, or .)\n",
	      out);
	return status;
}

/* -- one kernel ----------------------------------------------------------------------------- */

static int choose(const struct kernel_job *job, const char *name, struct patch_choice *choice)
{
	/* With files of one's own the name may be any. */
	if (patch_choose(name, choice, job->reason)) {
		if (!job->added_count)
			return -1;
		memset(choice, 0, sizeof(*choice));
	}
	if (!*name || strchr(name, '/') || *name == '.' || !strcmp(name, "debian"))
		return reason_set(job->reason, "%s: this cannot be the name of a kernel", name);
	for (size_t i = 0; i < job->added_count; i++)
		if (patch_choose_file(job->added[i], choice, job->reason))
			return -1;
	return 0;
}

static int make_patch(const struct kernel_job *job, const struct patch_choice *choice,
		      const char *tree, char patch[BOARD_PATH_SIZE])
{
	char folder[BOARD_PATH_SIZE];

	return board_path(folder, job->reason, job->folder, "patch") ||
			       board_remove(folder, job->reason) ||
			       board_make_folder(folder, job->reason) ||
			       patch_write(choice, job->source, tree, folder, job->log,
					   job->reason) ||
			       board_path(patch, job->reason, job->folder, "patch/kernel.patch")
		       ? -1
		       : 0;
}

static char *read_whole(const char *path, struct reason *reason)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	if (!file || (getdelim(&text, &room, '\0', file) < 0 && ferror(file))) {
		reason_set(reason, "%s: %s", path, strerror(errno));
		free(text);
		text = NULL;
	} else if (feof(file) && (!text || !ftell(file))) {
		free(text);
		text = strdup("");
	}
	if (file)
		fclose(file);
	return text;
}

static int check_applies(const struct kernel_job *job, const char *tree, const char *patch)
{
	/* Not as a part of a repository that the tree may happen to lie in. */
	static const char script[] =
		"test ! -s \"$2\" || { cd \"$1\" && "
		"GIT_CEILING_DIRECTORIES=\"$(dirname \"$(pwd -P)\")\" git apply --check \"$2\"; }";

	return kernel_run_script(job, "checking the patch", script, 60, tree, patch, NULL);
}

static int print_patch(const struct kernel_job *job, const struct patch_choice *choice)
{
	char tree[BOARD_PATH_SIZE], patch[BOARD_PATH_SIZE], tarball[PATH_MAX];
	struct stat file;
	char *text;

	if (job->linux_source && !stat(job->linux_source, &file) && S_ISDIR(file.st_mode)) {
		snprintf(tree, sizeof(tree), "%s", job->linux_source);
	} else if (kernel_find_tarball(job, tarball, sizeof(tarball)) ||
		   kernel_unpack(job, tarball) ||
		   board_path(tree, job->reason, job->folder, "linux-pristine")) {
		return -1;
	}
	if (make_patch(job, choice, tree, patch) || check_applies(job, tree, patch))
		return -1;
	text = read_whole(patch, job->reason);
	if (!text)
		return -1;
	fputs(text, stdout);
	free(text);
	return 0;
}

static int compile(const struct kernel_job *job, const char *name, const char *patch)
{
	/* Copied and not moved back: what is restored has to be newer than what was made of it. */
	static const char put_in[] =
		"set -e; cd \"$1\"; rm -rf arch/riscv/lib; cp -r ../linux-pristine/arch/riscv/lib "
		"arch/riscv/lib; cp ../linux-pristine/arch/riscv/purgatory/Makefile "
		"arch/riscv/purgatory/Makefile; test ! -s \"$2\" || "
		"GIT_CEILING_DIRECTORIES=\"$(dirname \"$(pwd -P)\")\" git apply \"$2\"";
	static const char build[] =
		"set -e; make -C \"$1\" O=\"$2\" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- "
		"LOCALVERSION=\"-$3\" KBUILD_BUILD_USER=netbench KBUILD_BUILD_HOST=board "
		"-j\"$(getconf _NPROCESSORS_ONLN)\" Image";
	static const char take[] =
		"set -e; rm -rf --one-file-system \"$3\"; mkdir -p \"$3\"; "
		"cp \"$2/arch/riscv/boot/Image\" \"$2/System.map\" \"$3\"; cp \"$2/.config\" "
		"\"$3/config\"; cp \"$1\" \"$3/kernel.patch\"";
	char tree[BOARD_PATH_SIZE], folder[BOARD_PATH_SIZE], new[BOARD_PATH_SIZE], what[128];

	snprintf(what, sizeof(what), "kernel %s", name);
	return board_path(tree, job->reason, job->folder, "linux") ||
			       board_path(folder, job->reason, job->folder, "linux-build") ||
			       board_path(new, job->reason, job->folder, "kernel/%s.new", name) ||
			       kernel_run_script(job, what, put_in, KERNEL_UNPACK_LIMIT_S, tree,
						 patch, NULL) ||
			       kernel_run_script(job, what, build, BUILD_LIMIT_S, tree, folder,
						 name) ||
			       kernel_run_script(job, what, take, KERNEL_UNPACK_LIMIT_S, patch,
						 folder, new)
		       ? -1
		       : 0;
}

/* Built from this patch and this configuration already? */
static int build_one(const struct kernel_job *job, const char *name,
		     const struct patch_choice *choice)
{
	char pristine[BOARD_PATH_SIZE], patch[BOARD_PATH_SIZE], made[BOARD_PATH_SIZE];
	char *text, *key = NULL;
	size_t bytes;
	FILE *out;
	int status = -1;

	if (board_path(pristine, job->reason, job->folder, "linux-pristine") ||
	    board_path(made, job->reason, job->folder, "kernel/%s", name) ||
	    make_patch(job, choice, pristine, patch) || check_applies(job, pristine, patch))
		return -1;
	text = read_whole(patch, job->reason);
	if (!text)
		return -1;
	out = open_memstream(&key, &bytes);
	if (out) {
		fprintf(out, "%s%s", board_kernel_config, text);
		fclose(out);
	}
	free(text);
	if (!out || !key)
		return reason_no_memory(job->reason);
	if (!job->rebuild && board_is_made(made, key)) {
		printf("kernel %s is built already\n", name);
		status = 0;
	} else if (!compile(job, name, patch) && !board_commit(made, key, job->reason)) {
		printf("kernel %s is built\n", name);
		status = 0;
	}
	free(key);
	return status;
}

static int build_all(const struct kernel_job *job, char *const *names)
{
	char tarball[PATH_MAX];

	/* All names first, so that a wrong one is told before the long work. */
	for (size_t i = 0; names[i]; i++) {
		struct patch_choice choice;

		if (choose(job, names[i], &choice))
			return -1;
		if (job->patch_only)
			return print_patch(job, &choice);
	}
	if (kernel_find_tarball(job, tarball, sizeof(tarball)) || kernel_unpack(job, tarball) ||
	    kernel_configure(job))
		return -1;
	for (size_t i = 0; names[i]; i++) {
		struct patch_choice choice;

		if (choose(job, names[i], &choice) || build_one(job, names[i], &choice))
			return -1;
		fflush(stdout);
	}
	return 0;
}

static int prepare(struct kernel_job *job, const char *folder, const char *source)
{
	const struct board_build build = { .folder = folder, .source = source };
	char path[BOARD_PATH_SIZE];

	if (board_path(path, job->reason, folder, "log") || board_make_folder(path, job->reason) ||
	    board_path(path, job->reason, folder, "kernel") ||
	    board_make_folder(path, job->reason) ||
	    board_find_source(&build, job->source, job->reason))
		return -1;
	if (!realpath(folder, job->folder))
		return reason_set(job->reason, "%s: %s", folder, strerror(errno));
	return board_path(job->log, job->reason, job->folder, "log/kernel.log");
}

int board_kernel_main(int argc, char **argv)
{
	enum {
		OPTION_FOLDER = 256,
		OPTION_SOURCE,
		OPTION_LINUX,
		OPTION_ADD,
		OPTION_PATCH,
		OPTION_REBUILD
	};
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "folder", required_argument, NULL, OPTION_FOLDER },
		{ "source", required_argument, NULL, OPTION_SOURCE },
		{ "linux", required_argument, NULL, OPTION_LINUX },
		{ "add", required_argument, NULL, OPTION_ADD },
		{ "patch-only", no_argument, NULL, OPTION_PATCH },
		{ "rebuild", no_argument, NULL, OPTION_REBUILD },
		{ NULL, 0, NULL, 0 },
	};
	const char *folder = BOARD_FOLDER, *source = NULL;
	struct reason reason;
	struct kernel_job *job;
	int option, status;

	job = calloc(1, sizeof(*job));
	if (!job)
		return HARNESS_USAGE;
	job->reason = &reason;
	optind = 1;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) >= 0) {
		switch (option) {
		case OPTION_FOLDER:
			folder = optarg;
			break;
		case OPTION_SOURCE:
			source = optarg;
			break;
		case OPTION_LINUX:
			job->linux_source = optarg;
			break;
		case OPTION_PATCH:
			job->patch_only = true;
			break;
		case OPTION_REBUILD:
			job->rebuild = true;
			break;
		case OPTION_ADD:
			if (job->added_count < KERNEL_ADDED_MAX) {
				job->added[job->added_count++] = optarg;
				break;
			}
			/* fall through */
		default:
			free(job);
			return option == 'h' ? usage(stdout, HARNESS_GOOD)
					     : usage(stderr, HARNESS_USAGE);
		}
	}
	if (optind == argc || (job->patch_only && optind + 1 < argc)) {
		fprintf(stderr, "harness: board kernel: %s\n",
			optind == argc ? "of which variant?" : "--patch-only takes one NAME");
		free(job);
		return usage(stderr, HARNESS_USAGE);
	}
	if (interrupt_open())
		status = reason_set(&reason, "signals cannot be watched: %s", strerror(errno));
	else
		status = prepare(job, folder, source) || build_all(job, argv + optind) ? -1 : 0;
	free(job);
	if (!status)
		return HARNESS_GOOD;
	reason_prefix(&reason, "board kernel");
	reason_print(&reason);
	return interrupt_seen() ? HARNESS_FAILED : HARNESS_USAGE;
}
