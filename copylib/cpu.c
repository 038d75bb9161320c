/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What this CPU has of the things that a variant may need. riscv64: the hwprobe system call, since
 * kernel 6.4; before that the single letters of the auxiliary vector. x86-64: cpuid, by the
 * compiler's own table, which asks the operating system's part too.
 */
#define _GNU_SOURCE /* syscall */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "copylib/copylib.h"

static enum copy_misaligned misaligned_is;

void copy_set_misaligned(enum copy_misaligned misaligned)
{
	misaligned_is = misaligned;
}

const char *copy_need_name(unsigned int need)
{
	switch (need) {
	case COPY_NEED_FAST_MISALIGNED:
		return "fast misaligned access";
	case COPY_NEED_V:
		return "the V extension";
	case COPY_NEED_ZBB:
		return "the Zbb extension";
	case COPY_NEED_AVX2:
		return "AVX2";
	default:
		return need ? "something that no CPU known here has" : NULL;
	}
}

/* qemu-user answers for /proc/self/exe, but not for this other name of it. */
static bool is_under_qemu_user(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/thread-self/exe", path, sizeof(path) - 1);
	const char *base;

	if (length <= 0)
		return false;
	path[length] = 0;
	base = strrchr(path, '/');
	return base && !strncmp(base, "/qemu-", 6);
}

/* On riscv64 KVM guests are not met yet, so QEMU's own machine is an emulated one. */
static bool is_qemu_machine(void)
{
	static const char model_of_qemu[] = "riscv-virtio";
	char model[sizeof(model_of_qemu)] = "";
	FILE *file = fopen("/proc/device-tree/model", "re");

	if (!file)
		return false;
	if (!fgets(model, sizeof(model), file))
		model[0] = 0;
	fclose(file);
	return !strcmp(model, model_of_qemu);
}

const char *copy_emulator(void)
{
	if (is_under_qemu_user())
		return "qemu-user";
	return is_qemu_machine() ? "QEMU" : NULL;
}

#if defined(__riscv)

/* The kernel's interface, as its documentation has it: older headers lack most of it. */
#define HWPROBE_SYSTEM_CALL	       258
#define HWPROBE_IMA_EXT_0	       4
#define HWPROBE_IMA_V		       (UINT64_C(1) << 2)
#define HWPROBE_EXT_ZBB		       (UINT64_C(1) << 4)
#define HWPROBE_CPUPERF_0	       5
#define HWPROBE_MISALIGNED_SCALAR_PERF 9
#define HWPROBE_MISALIGNED_MASK	       7
#define HWPROBE_MISALIGNED_FAST	       3
#define VECTOR_GET_CONTROL	       70
#define VECTOR_CURRENT_MASK	       3
#define VECTOR_OFF		       1

struct hwprobe_pair {
	int64_t key; /* the kernel makes it -1 where it does not know it */
	uint64_t value;
};

/* The value that holds for all CPUs together; false: this kernel does not tell. */
static bool hwprobe(int64_t key, uint64_t *value)
{
	struct hwprobe_pair pair = { .key = key };

	if (syscall(HWPROBE_SYSTEM_CALL, &pair, 1, 0, NULL, 0) != 0 || pair.key != key)
		return false;
	*value = pair.value;
	return true;
}

static bool misaligned_is_fast(void)
{
	uint64_t value;

	if (misaligned_is != COPY_MISALIGNED_PROBE)
		return misaligned_is == COPY_MISALIGNED_FAST;
	if (copy_emulator()) /* its kernel times them as fast, whatever the CPU is */
		return false;
	return (hwprobe(HWPROBE_MISALIGNED_SCALAR_PERF, &value) ||
		hwprobe(HWPROBE_CPUPERF_0, &value)) &&
	       (value & HWPROBE_MISALIGNED_MASK) == HWPROBE_MISALIGNED_FAST;
}

/* A process may have been forbidden to use V; its kernel still tells that the CPU has it. */
static bool vector_is_allowed(void)
{
	int control = prctl(VECTOR_GET_CONTROL, 0, 0, 0, 0);

	return control < 0 || (control & VECTOR_CURRENT_MASK) != VECTOR_OFF;
}

static unsigned int probe(void)
{
	unsigned int met = misaligned_is_fast() ? COPY_NEED_FAST_MISALIGNED : 0;
	bool has_vector = getauxval(AT_HWCAP) >> ('v' - 'a') & 1;
	uint64_t extensions;

	if (hwprobe(HWPROBE_IMA_EXT_0, &extensions)) {
		has_vector = extensions & HWPROBE_IMA_V;
		if (extensions & HWPROBE_EXT_ZBB)
			met |= COPY_NEED_ZBB;
	}
	if (has_vector && vector_is_allowed())
		met |= COPY_NEED_V;
	return met;
}

#elif defined(__x86_64__)

static unsigned int probe(void)
{
	unsigned int met = misaligned_is == COPY_MISALIGNED_SLOW ? 0 : COPY_NEED_FAST_MISALIGNED;

	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2"))
		met |= COPY_NEED_AVX2;
	return met;
}

#else

static unsigned int probe(void)
{
	return misaligned_is == COPY_MISALIGNED_FAST ? COPY_NEED_FAST_MISALIGNED : 0;
}

#endif

unsigned int copy_needs_met(void)
{
	static atomic_uint known; /* with a bit that no need has, once it is */
	const unsigned int is_known = 1u << 31;
	unsigned int met = atomic_load_explicit(&known, memory_order_relaxed);

	if (!met) {
		met = probe() | is_known;
		atomic_store_explicit(&known, met, memory_order_relaxed);
	}
	return met & ~is_known;
}
