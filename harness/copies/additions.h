/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The variants that --add brought. */
#ifndef HARNESS_COPIES_ADDITIONS_H
#define HARNESS_COPIES_ADDITIONS_H

#include "harness/copies/subject.h"

/**
 * Adds FILE or FILE=NAME: it is built, and becomes a variant of copylib, or two if its user copies
 * differ. False: an error was printed.
 */
bool additions_add(const char *text);

/** Was this variant added? */
bool additions_have(const struct copy_variant *variant);

/** Finds its functions for the judge. False: it has none, or was not added. */
bool additions_find(struct subject *subject, const struct copy_variant *variant);

/** For `netbench --add`: "FILE.so=NAME" of the addition at an index; NULL: none, or not for here.
 */
const char *additions_for_netbench(size_t index);

/** The file of the addition at an index; NULL: none. */
const char *additions_path(size_t index);

/**
 * Before any of them is measured in netbench: tries their memcpy here. False: one is wrong, or
 * cannot run here; that was printed, and *status is an exit status.
 */
bool additions_verify(int *status);

/** What was made of them, on disk and in memory. The variants stay known, and cannot be called. */
void additions_free(void);

#endif
