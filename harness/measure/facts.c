/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Facts: read from files of the board, so that one far away is asked in the same way. What a
 * machine does not tell is "unknown", not left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/measure/emulator.h"
#include "harness/measure/facts.h"
#include "harness/measure/load.h"
#include "harness/measure/result.h"

/* The value behind KEY and a separator, in the first line that begins so; quotes are dropped. */
static bool value_of(const char *text, const char *key, char separator, char *value, size_t size)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *end;

		line += *line == '\n';
		if (strncmp(line, key, strlen(key)))
			continue;
		line += strlen(key);
		line += strspn(line, " \t");
		if (*line != separator)
			continue;
		line++;
		line += strspn(line, " \t\"");
		end = line + strcspn(line, "\"\n");
		snprintf(value, size, "%.*s", (int)(end - line), line);
		return *value;
	}
	return false;
}

static void read_or_unknown(struct host *host, const char *path, char *text, size_t size)
{
	if (host_read_file(host, path, text, size) <= 0)
		snprintf(text, size, "unknown");
}

static void read_cpu_model(struct host *host, char *model, size_t size)
{
	static const char *const keys[] = { "model name", "uarch", "Model", "isa" };
	char text[4096];

	snprintf(model, size, "unknown");
	if (host_read_file(host, "/proc/cpuinfo", text, sizeof(text)) <= 0)
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (value_of(text, keys[i], ':', model, size))
			return;
	snprintf(model, size, "unknown");
}

/* Boards name themselves in the device tree, other machines in DMI; guests often not at all. */
static void read_machine(struct host *host, const char *cpu, char *model, size_t size)
{
	static const char *const files[] = { "/proc/device-tree/model",
					     "/sys/class/dmi/id/product_name" };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (host_read_file(host, files[i], model, size) > 0)
			return;
	snprintf(model, size, "%s", cpu);
}

static void read_governor(struct host *host, char *governor, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor",
		 host_cpu(host));
	if (host_read_file(host, path, governor, size) <= 0)
		snprintf(governor, size, "none");
}

static void read_distribution(struct host *host, char *name, size_t size)
{
	char text[2048];

	if (host_read_file(host, "/etc/os-release", text, sizeof(text)) <= 0 ||
	    !value_of(text, "PRETTY_NAME", '=', name, size))
		snprintf(name, size, "unknown");
}

/* Kernels before 6.1 do not tell it in a file; ours is the host's, if it is this machine. */
static void read_architecture(struct host *host, char *name, size_t size)
{
	struct utsname system;

	if (host_read_file(host, "/proc/sys/kernel/arch", name, size) > 0)
		return;
	if (host_is_this_machine(host) && !uname(&system))
		snprintf(name, size, "%s", system.machine);
	else
		snprintf(name, size, "unknown");
}

/* CPUs "0-3,6" of the file of those that are online; where /sys is missing, what our libc knows. */
static long count_cpus(struct host *host)
{
	char text[256];
	char *end = text;
	long count = 0;

	if (host_read_file(host, "/sys/devices/system/cpu/online", text, sizeof(text)) <= 0)
		return host_is_this_machine(host) ? sysconf(_SC_NPROCESSORS_ONLN) : 0;
	while (*end) {
		char *start = end;
		long first = strtol(start, &end, 10), last = first;

		if (end == start)
			break;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		count += last - first + 1;
		end += *end == ',';
	}
	return count;
}

static double load_1min(struct host *host)
{
	char text[128];

	return host_read_file(host, "/proc/loadavg", text, sizeof(text)) > 0 ? strtod(text, NULL)
									     : 0;
}

json_t *facts_gather(struct host *board)
{
	char machine[128], architecture[96], cpu[128], kernel[128], distribution[128], governor[64];
	const char *hypervisor = hypervisor_of(board);

	read_cpu_model(board, cpu, sizeof(cpu));
	read_machine(board, cpu, machine, sizeof(machine));
	read_architecture(board, architecture, sizeof(architecture));
	read_or_unknown(board, "/proc/sys/kernel/osrelease", kernel, sizeof(kernel));
	read_distribution(board, distribution, sizeof(distribution));
	read_governor(board, governor, sizeof(governor));
	return json_pack("{s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:s, s:f, s:f}", "machine",
			 result_string(machine), "architecture", result_string(architecture), "cpu",
			 result_string(cpu), "cpus", (json_int_t)count_cpus(board), "kernel",
			 result_string(kernel), "distribution", result_string(distribution),
			 "governor", result_string(governor), "virtualization",
			 hypervisor ? hypervisor : "none", "load_1min", load_1min(board),
			 "busy_percent", load_of_others_now(board));
}
