/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Debian's kernel as it comes: the image of its package, and those of its modules that the board's
 * devices need, unpacked here since busybox does not read xz.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/board/board.h"
#include "harness/board/command.h"
#include "harness/board/parts.h"

/* In the order in which they have to be loaded. */
static const char *const modules[] = {
	"drivers/char/hw_random/virtio-rng", "drivers/virtio/virtio_mmio", "net/core/failover",
	"drivers/net/net_failover",	     "drivers/net/virtio_net",	   "drivers/net/veth",
};
#define MODULES (sizeof(modules) / sizeof(modules[0]))

/* The release of the only kernel in the tree: "6.12.117+deb13-riscv64". */
static int find_release(const char *folder, char *release, size_t size, struct reason *reason)
{
	static const char name[] = "/boot/vmlinux-";
	char pattern[BOARD_PATH_SIZE];
	const char *found;
	glob_t files;

	if (board_path(pattern, reason, folder, "tree/boot/vmlinux-*"))
		return -1;
	if (glob(pattern, 0, NULL, &files))
		return reason_set(reason,
				  "%s: there is no kernel; remove %s/tree and build it again",
				  pattern, folder);
	found = strstr(files.gl_pathv[files.gl_pathc - 1], name);
	snprintf(release, size, "%s", found ? found + sizeof(name) - 1 : "");
	globfree(&files);
	return 0;
}

static int take(const char *from, const char *to, struct reason *reason)
{
	if (link(from, to))
		return reason_set(reason, "%s: cannot be linked from %s: %s", to, from,
				  strerror(errno));
	return 0;
}

static int take_module(const char *folder, const char *release, const char *module, FILE *order,
		       struct reason *reason)
{
	const char *slash = strrchr(module, '/');
	char from[BOARD_PATH_SIZE], to[BOARD_PATH_SIZE], log[BOARD_PATH_SIZE];
	const char *const argv[] = { "xz", "-d", "-f", "--keep", to, NULL };
	const struct command command = { .argv = argv,
					 .log = log,
					 .what = "modules of the kernel",
					 .advice = "needed: apt-get install xz-utils",
					 .limit_s = 60 };

	if (board_path(from, reason, folder, "tree/usr/lib/modules/%s/kernel/%s.ko.xz", release,
		       module) ||
	    board_path(to, reason, folder, "kernel/debian.new/modules/%s.ko.xz", slash + 1) ||
	    board_path(log, reason, folder, "log/kernel.log"))
		return -1;
	/* Inside the kernel itself, in other releases. */
	if (access(from, F_OK))
		return 0;
	fprintf(order, "%s\n", slash + 1);
	return take(from, to, reason) || command_run(&command, reason) || unlink(to);
}

static int take_kernel(const char *folder, const char *release, const char *new,
		       struct reason *reason)
{
	char path[BOARD_PATH_SIZE], image[BOARD_PATH_SIZE];
	FILE *order;
	int status = 0;

	if (board_path(path, reason, new, "modules") || board_remove(new, reason) ||
	    board_make_folder(path, reason) ||
	    board_path(path, reason, folder, "tree/boot/vmlinux-%s", release) ||
	    board_path(image, reason, new, "Image") || take(path, image, reason) ||
	    board_path(path, reason, new, "modules/order"))
		return -1;
	order = fopen(path, "we");
	if (!order)
		return reason_set(reason, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < MODULES && !status; i++)
		status = take_module(folder, release, modules[i], order, reason);
	if (ferror(order) | fclose(order) && !status)
		status = reason_set(reason, "%s: %s", path, strerror(errno));
	return status;
}

int part_kernel(const struct board_build *build, struct reason *reason)
{
	char release[128], made[BOARD_PATH_SIZE], new[BOARD_PATH_SIZE], key[160];

	if (find_release(build->folder, release, sizeof(release), reason))
		return -1;
	snprintf(key, sizeof(key), "%s\n", release);
	if (board_path(made, reason, build->folder, "kernel/debian") ||
	    board_path(new, reason, build->folder, "kernel/debian.new"))
		return -1;
	if (board_is_made(made, key))
		return 0;
	return take_kernel(build->folder, release, new, reason) || board_commit(made, key, reason)
		       ? -1
		       : 0;
}
