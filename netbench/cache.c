/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How large this machine's caches are: /sys/devices/system/cpu/cpu0/cache/index*, one file a value. */
#include "netbench/cache.h"

#include <stdio.h>

/** Reads "2048K" or "32M" from a file of one cache; 0: there is none. */
static size_t read_value(int index, const char *name)
{
	char path[96];
	unsigned long long value = 0;
	char unit = '\0';
	FILE *file;
	int fields;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
	file = fopen(path, "re");
	if (!file)
		return 0;
	fields = fscanf(file, "%llu%c", &value, &unit);
	fclose(file);
	if (fields < 1)
		return 0;
	if (unit == 'K')
		value <<= 10;
	else if (unit == 'M')
		value <<= 20;
	return (size_t)value;
}

size_t cache_last_level_bytes(void)
{
	size_t highest_level = 0, bytes = 0;

	for (int index = 0;; index++) {
		size_t level = read_value(index, "level");

		if (!level)
			return bytes;
		if (level >= highest_level) {
			highest_level = level;
			bytes = read_value(index, "size");
		}
	}
}
