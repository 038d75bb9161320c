/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Emulator: is this machine emulated, so that times mean nothing?
 */
#ifndef HARNESS_MEASURE_EMULATOR_H
#define HARNESS_MEASURE_EMULATOR_H

#include "harness/host/host.h"

/** What emulates the host's CPU ("qemu-user", "QEMU TCG", ...); NULL: nothing that is known. */
const char *emulator_of(struct host *host);

/** What the host's hardware is virtualized by ("KVM", "a hypervisor"); NULL: nothing known. */
const char *hypervisor_of(struct host *host);

#endif
