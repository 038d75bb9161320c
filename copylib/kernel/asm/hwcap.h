/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The numbers of extensions, by which a kernel chooses among alternatives. Here none is chosen, and
 * alternative-macros.h drops the names unread, so there is nothing to define: files include this,
 * and it has to exist.
 */
#ifndef COPYLIB_KERNEL_ASM_HWCAP_H
#define COPYLIB_KERNEL_ASM_HWCAP_H

#endif
