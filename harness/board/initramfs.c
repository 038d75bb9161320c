/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The initramfs: written by bsdtar (libarchive) from a list in mtree's format, which names owner,
 * mode and source of each file. So nobody has to be root, and nothing is copied first.
 */
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/command.h"
#include "harness/board/needed.h"
#include "harness/board/parts.h"

#define LIBRARIES     "usr/lib/riscv64-linux-gnu"
#define LIBRARIES_MAX 64

/* Programs of the tree; what they need of libraries comes by itself. */
static const char *const programs[] = { "usr/bin/iperf3", "usr/bin/ip", "usr/sbin/ethtool",
					"usr/sbin/dropbear" };
/* Ours, from the folder of the cross build. */
static const char *const ours[] = { "bin/netbench", "bin/netbench-calls", "bin/harness",
				    "lib/libcopylib-preload.so", "lib/libcounter-mark.so" };

static const char *const folders[] = { "bin",	       "dev",	  "etc",
				       "etc/dropbear", "lib",	  "lib/modules",
				       "proc",	       "root",	  "run",
				       "sys",	       "tmp",	  "usr",
				       "usr/bin",      "usr/lib", "usr/lib/riscv64-linux-gnu",
				       "usr/sbin" };

struct list {
	char *text; /* the list itself, and behind each file its size and age: also the key */
	size_t bytes;
	FILE *out;
	const char *folder;	 /* of the board */
	char programs[PATH_MAX]; /* of the cross build */
	char *library[LIBRARIES_MAX];
	size_t libraries;
	struct reason *reason;
};

/* mtree's way with what is no plain character in a path. */
static void write_escaped(FILE *out, const char *path)
{
	for (; *path; path++)
		if (*path <= ' ' || *path == '\\' || *path == '#' || *path == '=' || *path > '~')
			fprintf(out, "\\%03o", (unsigned char)*path);
		else
			putc(*path, out);
}

/* A file of the board at to, with the contents of from; its age makes another key. */
static int add_file(struct list *list, const char *to, unsigned int mode, const char *from)
{
	char real[PATH_MAX];
	struct stat file;

	if (!realpath(from, real) || stat(real, &file))
		return reason_set(list->reason, "%s: %s; build the parts before this one", from,
				  strerror(errno));
	fprintf(list->out, "./%s type=file mode=%04o contents=", to, mode);
	write_escaped(list->out, real);
	fprintf(list->out, "\n# %lld bytes, %lld\n", (long long)file.st_size,
		(long long)file.st_mtime);
	return 0;
}

static int add_libraries_of(struct list *list, const char *path);

static int add_library(void *context, const char *name)
{
	struct list *list = context;
	char from[BOARD_PATH_SIZE], to[NAME_MAX + sizeof(LIBRARIES) + 2];

	for (size_t i = 0; i < list->libraries; i++)
		if (!strcmp(list->library[i], name))
			return 0;
	if (list->libraries == LIBRARIES_MAX)
		return reason_set(list->reason, "more than %d libraries", LIBRARIES_MAX);
	list->library[list->libraries] = strdup(name);
	if (!list->library[list->libraries])
		return reason_no_memory(list->reason);
	list->libraries++;
	snprintf(to, sizeof(to), LIBRARIES "/%.*s", NAME_MAX, name);
	if (board_path(from, list->reason, list->folder, "tree/%s", to) ||
	    add_file(list, to, 0755, from))
		return -1;
	return add_libraries_of(list, from);
}

static int add_libraries_of(struct list *list, const char *path)
{
	return needed_for_each(path, add_library, list, list->reason);
}

static int add_programs(struct list *list)
{
	char from[BOARD_PATH_SIZE];

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (board_path(from, list->reason, list->folder, "tree/%s", programs[i]) ||
		    add_file(list, programs[i], 0755, from) || add_libraries_of(list, from))
			return -1;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		char to[64];

		snprintf(to, sizeof(to), "usr/%s", ours[i]);
		if (board_path(from, list->reason, list->programs, "%s", ours[i]) ||
		    add_file(list, to, 0755, from) || add_libraries_of(list, from))
			return -1;
	}
	/* It is loaded by its name when a thread ends itself, as iperf3's do. */
	if (add_library(list, "libgcc_s.so.1"))
		return -1;
	/* The loader, where programs look for it. */
	fputs("./lib/ld-linux-riscv64-lp64d.so.1 type=link "
	      "link=../" LIBRARIES "/ld-linux-riscv64-lp64d.so.1\n",
	      list->out);
	if (board_path(from, list->reason, list->folder, "tree/usr/bin/busybox") ||
	    add_file(list, "bin/busybox", 0755, from))
		return -1;
	fputs("./bin/sh type=link link=busybox\n./init type=link link=bin/busybox\n", list->out);
	return 0;
}

/* The modules of Debian's kernel; kernels of our own have none. */
static int add_modules(struct list *list)
{
	char made[BOARD_PATH_SIZE], pattern[BOARD_PATH_SIZE], release[128] = "", to[256];
	FILE *key;
	glob_t files;
	int status = 0;

	if (board_path(made, list->reason, list->folder, "kernel/debian.made-from") ||
	    board_path(pattern, list->reason, list->folder, "kernel/debian/modules/*"))
		return -1;
	key = fopen(made, "re");
	if (!key || !fgets(release, sizeof(release), key))
		status = reason_set(list->reason, "%s: %s; build the part kernel first", made,
				    strerror(errno));
	if (key)
		fclose(key);
	release[strcspn(release, "\n")] = '\0';
	if (status || glob(pattern, 0, NULL, &files))
		return status;
	fprintf(list->out, "./lib/modules/%s type=dir mode=0755\n", release);
	for (size_t i = 0; i < files.gl_pathc && !status; i++) {
		snprintf(to, sizeof(to), "lib/modules/%s/%s", release,
			 strrchr(files.gl_pathv[i], '/') + 1);
		status = add_file(list, to, 0644, files.gl_pathv[i]);
	}
	globfree(&files);
	return status;
}

/* Small files of our own go into the board's folder first. */
static int add_text(struct list *list, const char *to, unsigned int mode, const char *text)
{
	const char *slash = strrchr(to, '/');
	char path[BOARD_PATH_SIZE];
	FILE *file;

	if (board_path(path, list->reason, list->folder, "etc") ||
	    board_make_folder(path, list->reason) ||
	    board_path(path, list->reason, list->folder, "etc/%s", slash + 1))
		return -1;
	/* Written anew only when it changes, since its age is part of the key. */
	if (!board_is_made(path, text)) {
		char new[BOARD_PATH_SIZE + 8];

		snprintf(new, sizeof(new), "%s.new", path);
		file = fopen(new, "we");
		if (!file)
			return reason_set(list->reason, "%s: %s", new, strerror(errno));
		fputs(text, file);
		if (ferror(file) | fclose(file))
			return reason_set(list->reason, "%s: %s", new, strerror(errno));
		if (board_commit(path, text, list->reason))
			return -1;
	}
	return add_file(list, to, mode, path);
}

static int add_settings(struct list *list)
{
	return add_text(list, "etc/passwd", 0644, "root:x:0:0:root:/root:/bin/sh\n") ||
			       add_text(list, "etc/group", 0644, "root:x:0:\n") ||
			       add_text(list, "etc/inittab", 0644, "::sysinit:/etc/rc\n") ||
			       add_text(list, "etc/rc", 0755, board_init_script)
		       ? -1
		       : 0;
}

static int write_list(struct list *list)
{
	char key[BOARD_PATH_SIZE];

	fputs("#mtree\n/set uid=0 gid=0\n. type=dir mode=0755\n", list->out);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		fprintf(list->out, "./%s type=dir mode=0755\n", folders[i]);
	fputs("./root/.ssh type=dir mode=0700\n"
	      "./dev/console type=char device=linux,5,1 mode=0600\n"
	      "./dev/null type=char device=linux,1,3 mode=0666\n",
	      list->out);
	if (add_programs(list) || add_modules(list) || add_settings(list) ||
	    board_path(key, list->reason, list->folder, "key.pub") ||
	    add_file(list, "root/.ssh/authorized_keys", 0600, key))
		return -1;
	return 0;
}

static int pack(const struct board_build *build, const struct list *list, struct reason *reason)
{
	char manifest[BOARD_PATH_SIZE + 1] = "@", made[BOARD_PATH_SIZE], new[BOARD_PATH_SIZE],
					log[BOARD_PATH_SIZE];
	const char *const argv[] = { "bsdtar", "-c", "-z",     "--format=newc",
				     "-f",     new,  manifest, NULL };
	const struct command command = { .argv = argv,
					 .log = log,
					 .what = "the initramfs",
					 .advice = "needed: apt-get install libarchive-tools, and "
						   "100 MB of disk",
					 .limit_s = 120 };
	FILE *file;

	if (board_path(manifest + 1, reason, build->folder, "initramfs.mtree") ||
	    board_path(made, reason, build->folder, "initramfs.cpio.gz") ||
	    board_path(new, reason, build->folder, "initramfs.cpio.gz.new") ||
	    board_path(log, reason, build->folder, "log/initramfs.log"))
		return -1;
	if (board_is_made(made, list->text))
		return 0;
	file = fopen(manifest + 1, "we");
	if (!file)
		return reason_set(reason, "%s: %s", manifest + 1, strerror(errno));
	fputs(list->text, file);
	if (ferror(file) | fclose(file))
		return reason_set(reason, "%s: %s", manifest + 1, strerror(errno));
	return command_run(&command, reason) || board_commit(made, list->text, reason) ? -1 : 0;
}

int part_initramfs(const struct board_build *build, struct reason *reason)
{
	struct list list = { .folder = build->folder, .reason = reason };
	char source[PATH_MAX];
	int status;

	if (board_find_source(build, source, reason))
		return -1;
	if ((size_t)snprintf(list.programs, sizeof(list.programs), "%s/build/riscv64", source) >=
	    sizeof(list.programs))
		return reason_set(reason, "%s: too long a path", source);
	list.out = open_memstream(&list.text, &list.bytes);
	if (!list.out)
		return reason_no_memory(reason);
	status = write_list(&list);
	if (fclose(list.out) && !status)
		status = reason_no_memory(reason);
	if (!status)
		status = pack(build, &list, reason);
	for (size_t i = 0; i < list.libraries; i++)
		free(list.library[i]);
	free(list.text);
	return status;
}
