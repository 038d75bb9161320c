/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Namespaces: two network namespaces without names, held by nothing but our descriptors, so that
 * they vanish with this process however it ends.
 */
#ifndef HARNESS_HOST_NAMESPACE_H
#define HARNESS_HOST_NAMESPACE_H

#include "harness/measure/reason.h"

struct namespaces {
	int user_fd;   /* the user namespace that owns them, when it is not ours; else -1 */
	int net_fd[2]; /* network namespaces */
};

/** Makes them; without CAP_SYS_ADMIN in a user namespace of their own, in which we are root. */
int namespaces_create(struct namespaces *namespaces, struct reason *reason);

void namespaces_close(struct namespaces *namespaces);

/** Enters a user (-1: none) and a network namespace (-1: none); in a child of one thread.
 *  Returns 0 or an errno. */
int namespace_enter(int user_fd, int net_fd);

#endif
