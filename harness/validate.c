/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * harness validate: tells of each file whether it is a result file, of which version and kind, and
 * names every field that is not as it should be.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "harness/harness.h"
#include "harness/measure/schema.h"

static int usage(FILE *out, int status)
{
	fputs("usage: harness validate FILE...\n\n"
	      "Says of each file whether it is a result file, of which version, and which fields "
	      "are\n"
	      "wrong. Exit status: 0 all are valid, 1 one is not, 2 one cannot be read.\n",
	      out);
	return status;
}

static void print_problem(void *context, const char *path, const char *what)
{
	fprintf(stderr, "harness: %s: %s: %s\n", (const char *)context, path, what);
}

static int validate_file(char *path)
{
	struct reason reason;
	json_t *root = schema_load(path, &reason);
	size_t problems;

	if (!root) {
		int status = errno ? HARNESS_USAGE : HARNESS_FAILED;

		reason_print(&reason);
		return status;
	}
	problems = schema_check(root, print_problem, path);
	if (!problems)
		printf("%s: valid: %s, kind %s\n", path,
		       json_string_value(json_object_get(root, "schema")),
		       json_string_value(json_object_get(root, "kind")));
	json_decref(root);
	return problems ? HARNESS_FAILED : HARNESS_GOOD;
}

int validate_main(int argc, char **argv)
{
	static const struct option options[] = { { "help", no_argument, NULL, 'h' },
						 { "version", no_argument, NULL, 'v' },
						 { NULL, 0, NULL, 0 } };
	int status = HARNESS_GOOD, option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			return usage(stdout, HARNESS_GOOD);
		case 'v':
			puts("harness " NETBENCH_VERSION);
			return HARNESS_GOOD;
		default:
			fprintf(stderr, "harness: validate: %s: no such option\n",
				argv[optind - 1]);
			return usage(stderr, HARNESS_USAGE);
		}
	}
	if (optind == argc)
		return usage(stderr, HARNESS_USAGE);
	for (; optind < argc; optind++) {
		int of_file = validate_file(argv[optind]);

		status = of_file > status ? of_file : status;
	}
	return status;
}
