/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How large this machine's caches are. */
#ifndef NETBENCH_CACHE_H
#define NETBENCH_CACHE_H

#include <stddef.h>

/** Bytes of the last-level cache of CPU 0, as the kernel tells; 0: it does not. */
size_t cache_last_level_bytes(void);

#endif
