/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The place of linux/export.h for assembly in older kernels. */
#ifndef COPYLIB_KERNEL_ASM_GENERIC_EXPORT_H
#define COPYLIB_KERNEL_ASM_GENERIC_EXPORT_H

#include <linux/export.h>

#endif
