/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Folder: made before the first cell is measured, so that a run does not fail at its end. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness/measure/folder.h"

#define RESULTS	    "results"
#define SAME_SECOND 100 /* runs that may begin within one */

static int name_files(struct folder *folder, struct reason *reason)
{
	snprintf(folder->run_json, sizeof(folder->run_json), "%s/run.json", folder->path);
	snprintf(folder->table_txt, sizeof(folder->table_txt), "%s/table.txt", folder->path);
	if (!access(folder->run_json, F_OK))
		return reason_set(reason, "%s is there already; give another --out, or remove it",
				  folder->run_json);
	if (access(folder->path, W_OK))
		return reason_set(reason, "%s: %s; give another --out", folder->path,
				  strerror(errno));
	return 0;
}

static int make_wanted(struct folder *folder, const char *wanted, struct reason *reason)
{
	if ((size_t)snprintf(folder->path, sizeof(folder->path), "%s", wanted) >=
	    sizeof(folder->path))
		return reason_set(reason, "--out: %s", strerror(ENAMETOOLONG));
	folder->made = !mkdir(wanted, 0777);
	if (!folder->made && errno != EEXIST)
		return reason_set(reason, "--out %s: %s", wanted, strerror(errno));
	return name_files(folder, reason);
}

static int make_new(struct folder *folder, const char *name, struct reason *reason)
{
	time_t now = time(NULL);
	char stamp[32];
	struct tm local;

	if (mkdir(RESULTS, 0777) && errno != EEXIST)
		return reason_set(reason, "%s: %s; give another place by --out", RESULTS,
				  strerror(errno));
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	for (int i = 1; i <= SAME_SECOND; i++) {
		char suffix[8] = "";

		if (i > 1)
			snprintf(suffix, sizeof(suffix), "-%d", i);
		snprintf(folder->path, sizeof(folder->path), RESULTS "/%s-%s%s", name, stamp,
			 suffix);
		folder->made = !mkdir(folder->path, 0777);
		if (folder->made)
			return name_files(folder, reason);
		if (errno != EEXIST)
			break;
	}
	return reason_set(reason, "%s: %s; give another place by --out", folder->path,
			  strerror(errno));
}

int folder_make(struct folder *folder, const char *wanted, const char *name, struct reason *reason)
{
	memset(folder, 0, sizeof(*folder));
	return wanted ? make_wanted(folder, wanted, reason) : make_new(folder, name, reason);
}

void folder_unmake(const struct folder *folder)
{
	if (folder->made)
		rmdir(folder->path);
}
