/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel's source and its configuration: unpacked and configured once, for all kernels that are
 * built of it.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/command.h"
#include "harness/board/kernel_job.h"
#include "harness/board/parts.h"

#define TARBALLS "/usr/src/linux-source-*.tar.xz"

#define ADVICE                                                                            \
	"needed: apt-get install flex bison bc make gcc libc6-dev gcc-riscv64-linux-gnu " \
	"git, and 3 GB of disk; started again it goes on from here"

int kernel_run_script(const struct kernel_job *job, const char *what, const char *script,
		      unsigned int limit_s, const char *one, const char *two, const char *three)
{
	const char *const argv[] = {
		"env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "MFLAGS", "-u", "MAKEOVERRIDES",
		"sh",  "-c", script,	  "sh", one,	     two,  three,    NULL
	};
	const struct command command = {
		.argv = argv, .log = job->log, .what = what, .advice = ADVICE, .limit_s = limit_s
	};

	return command_run(&command, job->reason) ? -1 : 0;
}

int kernel_find_tarball(const struct kernel_job *job, char *path, size_t size)
{
	glob_t files;

	if (job->linux_source) {
		snprintf(path, size, "%s", job->linux_source);
		if (access(path, R_OK))
			return reason_set(job->reason, "--linux %s: %s", path, strerror(errno));
		return 0;
	}
	if (glob(TARBALLS, 0, NULL, &files))
		return reason_set(job->reason,
				  TARBALLS ": there is none; apt-get install linux-source, or "
					   "--linux FILE");
	snprintf(path, size, "%s", files.gl_pathv[files.gl_pathc - 1]);
	globfree(&files);
	return 0;
}

/* Nothing is needed of other machines, nor what only people read. */
int kernel_unpack(const struct kernel_job *job, const char *tarball)
{
	static const char script[] =
		"set -e; rm -rf --one-file-system \"$2\"; mkdir -p \"$2\"; "
		"tar -xf \"$1\" -C \"$2\" --strip-components=1 "
		"--anchored --exclude='*/Documentation/*/*' --exclude='*/tools/testing/*' "
		"--exclude='linux-*/arch/[!r]*/*.[chS]' --exclude='linux-*/arch/[!r]*/*.dts*' "
		"--exclude='linux-*/drivers/gpu/drm/amd/include/*'; "
		"test -e \"$2/arch/riscv/Makefile\"";
	char made[BOARD_PATH_SIZE], new[BOARD_PATH_SIZE], pristine[BOARD_PATH_SIZE],
		key[PATH_MAX + sizeof(script) + 64];
	struct stat file;

	if (stat(tarball, &file))
		return reason_set(job->reason, "%s: %s", tarball, strerror(errno));
	if (S_ISDIR(file.st_mode))
		return reason_set(job->reason,
				  "--linux %s: a folder is for --patch-only; a build "
				  "wants a .tar.xz",
				  tarball);
	snprintf(key, sizeof(key), "%s, %lld bytes, %lld\n%s\n", tarball, (long long)file.st_size,
		 (long long)file.st_mtime, script);
	if (board_path(made, job->reason, job->folder, "linux") ||
	    board_path(new, job->reason, job->folder, "linux.new") ||
	    board_path(pristine, job->reason, job->folder, "linux-pristine"))
		return -1;
	if (board_is_made(made, key))
		return 0;
	return kernel_run_script(job, "unpacking the kernel's source", script,
				 KERNEL_UNPACK_LIMIT_S, tarball, new, NULL) ||
			       kernel_run_script(job, "setting arch/riscv aside",
						 "set -e; rm -rf --one-file-system \"$2\"; "
						 "mkdir -p \"$2/arch\"; cp -a \"$1/arch/riscv\" "
						 "\"$2/arch/\"",
						 KERNEL_UNPACK_LIMIT_S, new, pristine, NULL) ||
			       board_commit(made, key, job->reason)
		       ? -1
		       : 0;
}

/* -- its configuration ---------------------------------------------------------------------- */

/* Each line that was asked for has to be in what came of it: kconfig drops in silence. */
static int check_configuration(const struct kernel_job *job, const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL, *wanted = strdup(board_kernel_config), *rest = wanted;
	int status = 0;
	long size;

	if (!file || !wanted || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 ||
	    !(text = calloc(1, (size_t)size + 1))) {
		status = reason_set(job->reason, "%s: %s", path, strerror(errno));
		goto out;
	}
	rewind(file);
	if (fread(text, 1, (size_t)size, file) != (size_t)size) {
		status = reason_set(job->reason, "%s: cannot be read", path);
		goto out;
	}
	for (char *line; !status && (line = strsep(&rest, "\n"));) {
		char name[64];

		/* What other kernels do not know cannot be set there: only the tests have to be. */
		if (sscanf(line, "CONFIG_%63[A-Z0-9_]=y", name) != 1 || strstr(text, line))
			continue;
		if (!strcmp(name, "SOC_VIRT") || !strcmp(name, "ARCH_VIRT"))
			continue; /* one in older, one in newer kernels */
		status = reason_set(job->reason, "CONFIG_%s: this kernel did not take it", name);
	}
out:
	if (file)
		fclose(file);
	free(text);
	free(wanted);
	return status;
}

int kernel_configure(const struct kernel_job *job)
{
	static const char script[] =
		"set -e; mkdir -p \"$2\"; make -C \"$1\" O=\"$2\" ARCH=riscv "
		"CROSS_COMPILE=riscv64-linux-gnu- tinyconfig; "
		"sed '/^CONFIG_CC_OPTIMIZE_FOR_SIZE/d' \"$2/.config\" >\"$2/.config.tiny\"; "
		"cat \"$2/.config.tiny\" \"$3\" >\"$2/.config\"; "
		"make -C \"$1\" O=\"$2\" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- olddefconfig";
	char linux_tree[BOARD_PATH_SIZE], build[BOARD_PATH_SIZE], fragment[BOARD_PATH_SIZE],
		config[BOARD_PATH_SIZE];
	FILE *file;

	if (board_path(linux_tree, job->reason, job->folder, "linux") ||
	    board_path(build, job->reason, job->folder, "linux-build") ||
	    board_path(fragment, job->reason, job->folder, "linux-build.fragment") ||
	    board_path(config, job->reason, job->folder, "linux-build/.config"))
		return -1;
	/* Configured from the same? The key goes last, so that what was cut short is done again. */
	if (board_is_made(config, board_kernel_config))
		return 0;
	file = fopen(fragment, "we");
	if (!file)
		return reason_set(job->reason, "%s: %s", fragment, strerror(errno));
	fputs(board_kernel_config, file);
	if (ferror(file) | fclose(file))
		return reason_set(job->reason, "%s: %s", fragment, strerror(errno));
	if (kernel_run_script(job, "configuring the kernel", script, KERNEL_UNPACK_LIMIT_S,
			      linux_tree, build, fragment) ||
	    check_configuration(job, config))
		return -1;
	snprintf(fragment, sizeof(fragment), "%.*s.new", (int)sizeof(fragment) - 8, config);
	if (rename(config, fragment))
		return reason_set(job->reason, "%s: %s", config, strerror(errno));
	return board_commit(config, board_kernel_config, job->reason);
}
