/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a kernel's file offers to modules. In user space there are none, so these expand to nothing;
 * the symbols themselves are global already.
 */
#ifndef COPYLIB_KERNEL_LINUX_EXPORT_H
#define COPYLIB_KERNEL_LINUX_EXPORT_H

#define EXPORT_SYMBOL(name)
#define EXPORT_SYMBOL_GPL(name)

#endif
