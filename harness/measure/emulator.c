/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Emulator: of this machine, copylib knows most; a whole machine under TCG shows in CPUID on x86,
 * and in the device tree on RISC-V, on another machine too.
 */
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "copylib/copylib.h"
#include "harness/measure/emulator.h"

/* The hypervisor's signature of 12 letters; empty without one. */
static void read_signature(char signature[13])
{
	memset(signature, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 31)))
		return;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(signature, &b, 4);
	memcpy(signature + 4, &c, 4);
	memcpy(signature + 8, &d, 4);
#endif
}

const char *emulator_of(struct host *host)
{
	char text[64];

	if (host_is_this_machine(host)) {
		read_signature(text);
		if (!strcmp(text, "TCGTCGTCGTCG"))
			return "QEMU TCG";
		if (copy_emulator())
			return copy_emulator();
	}
	if (host_read_file(host, "/proc/device-tree/model", text, sizeof(text)) > 0 &&
	    !strncmp(text, "riscv-virtio", strlen("riscv-virtio")))
		return "QEMU";
	return NULL;
}

const char *hypervisor_of(struct host *host)
{
	static const struct {
		const char *signature, *name;
	} known[] = { { "KVMKVMKVM", "KVM" },
		      { "Microsoft Hv", "Hyper-V" },
		      { "VMwareVMware", "VMware" },
		      { "XenVMMXenVMM", "Xen" } };
	char signature[13];

	if (!host_is_this_machine(host))
		return NULL;
	read_signature(signature);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(signature, known[i].signature))
			return known[i].name;
	return *signature ? "a hypervisor" : NULL;
}
