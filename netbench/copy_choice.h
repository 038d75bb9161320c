/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Copy choice: the argument of --copy, for every command that has it. */
#ifndef NETBENCH_COPY_CHOICE_H
#define NETBENCH_COPY_CHOICE_H

#include <stdbool.h>
#include <stdio.h>

#include "copylib/copylib.h"

/**
 * The variant of that name, with a memcpy that runs here; NULL: none, by the name "none". False: it
 * cannot be, and the reason is printed, as of this command ("netbench serve").
 */
bool copy_choose(const char *command, const char *name, const struct copy_variant **variant);

/** Prints what may be chosen, and a newline. */
void copy_list_choices(FILE *stream);

#endif
