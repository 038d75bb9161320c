/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Machine: the virtual board running, by qemu-system-riscv64, with SSH into it. It has two network
 * interfaces: "control", through which SSH comes, and, if it is joined to something, "wire".
 */
#ifndef HARNESS_BOARD_MACHINE_H
#define HARNESS_BOARD_MACHINE_H

#include <stdbool.h>
#include <sys/types.h>

#include "harness/board/board.h"
#include "harness/host/ssh.h"

struct machine_options {
	const char *folder;	 /* of the board */
	const char *kernel;	 /* a name in FOLDER/kernel: "debian" */
	const char *cpu;	 /* as QEMU names it: "rva22s64" */
	unsigned int cores;	 /* 1 to 8 */
	unsigned int memory_mib; /* 256 or more */
	const char *nic;	 /* of the wire: a name that machine_nics() tells */
	const char *tap;	 /* that the wire is joined to; NULL: there is no wire */
	const char *plugin;	 /* QEMU's option -plugin; NULL: none */
	bool by_instructions;	 /* virtual time follows the instructions: runs repeat exactly */
	const char *append;	 /* more words for the kernel; NULL: none */
	const char *console;	 /* file of what the board's console says */
	unsigned int limit_s;	 /* that it may take until it is up; then it hangs */
	unsigned int ssh_port;	 /* of 127.0.0.1, where SSH is passed on to the board */
	const char *pid_file;	 /* goes into the background, with its id there; NULL: a child */
	int (*enter)(const void *context); /* called in the child before exec, for namespaces */
	const void *context;
};

#define MACHINE_DEFAULT_KERNEL	   "debian"
#define MACHINE_DEFAULT_CPU	   "rva22s64"
#define MACHINE_DEFAULT_CORES	   2
#define MACHINE_DEFAULT_MEMORY_MIB 1024
#define MACHINE_DEFAULT_NIC	   "virtio"
#define MACHINE_DEFAULT_LIMIT_S	   120
#define MACHINE_CORES_MAX	   8
#define MACHINE_MEMORY_MIB_MIN	   256
#define MACHINE_MEMORY_MIB_MAX	   65536

struct machine;

/** The names of network interfaces to choose from, one behind the other: "virtio, tulip". */
const char *machine_nics(void);
bool machine_has_nic(const char *name);

/**
 * Starts it and waits until it is up and SSH stands. Returns NULL with the reason: something is not
 * built, QEMU is missing or too old, or with the console's last lines, that it panicked or hangs.
 */
struct machine *machine_start(const struct machine_options *options, struct reason *reason);

/** Its connection; NULL if it went into the background. */
struct ssh *machine_ssh(struct machine *machine);

/** Has QEMU ended? Then the reason has the console's last lines. */
bool machine_is_gone(struct machine *machine, struct reason *reason);

/** Ends it, unless it is in the background, and frees it. NULL is allowed. */
void machine_close(struct machine *machine);

/** Connects to a board in the background. Returns NULL with the reason. */
struct ssh *machine_connect(const char *folder, unsigned int ssh_port, struct reason *reason);

#endif
