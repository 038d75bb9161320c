/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Copy choice: see copy_choice.h. */
#include "netbench/copy_choice.h"

#include <string.h>

void copy_list_choices(FILE *stream)
{
	fprintf(stream, "none");
	for (size_t i = 0; i < copy_variant_count(); i++) {
		const struct copy_variant *variant = copy_variant_at(i);

		if (variant->memcpy && copy_variant_runs_here(variant))
			fprintf(stream, ", %s", variant->name);
	}
	fprintf(stream, "\n");
}

bool copy_choose(const char *command, const char *name, const struct copy_variant **variant)
{
	const struct copy_variant *found = copy_variant_find(name);

	if (strcmp(name, "none") == 0) {
		*variant = NULL;
		return true;
	}
	if (found && !(found->functions & COPY_MEMCPY)) {
		fprintf(stderr, "%s: --copy %s: this variant has no memcpy\n", command, name);
		return false;
	}
	if (found && copy_variant_runs_here(found)) {
		*variant = found;
		return true;
	}
	if (found)
		fprintf(stderr, "%s: --copy %s: it needs %s; there are: ", command, name,
			copy_variant_missing(found));
	else
		fprintf(stderr, "%s: --copy %s: no such variant; there are: ", command, name);
	copy_list_choices(stderr);
	return false;
}
