/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What harness copy found out, as a result file (results/README.md): a column a variant. */
#ifndef HARNESS_COPIES_COPIES_RESULT_H
#define HARNESS_COPIES_COPIES_RESULT_H

#include "harness/copies/copy_options.h"
#include "harness/measure/result.h"

#define COPIES_NO_SIZE SIZE_MAX

/** Without rows; kind: "count", "check". NULL: no memory. */
struct result *copies_result_create(const char *kind, const char *unit,
				    const struct copy_options *options);

/**
 * Puts a figure where it belongs; a row that is not there yet is added. unit: of the row, NULL: the
 * file's. A failure is one of memory, and found when the file is written.
 */
void copies_result_add(struct result *result, const char *key, size_t size_bytes, const char *unit,
		       size_t column, double value);

/** Where the text for people goes: to standard output, unless --json - has it: then nowhere. */
FILE *copies_text(const struct copy_options *options);

/** Writes it where the options say, if they do; frees it. False: that failed, and was printed. */
bool copies_result_finish(struct result *result, const struct copy_options *options);

#endif
