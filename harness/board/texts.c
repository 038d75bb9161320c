/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* init.sh and kernel.config as parts of this program. */
#include "harness/board/parts.h"

#define TEXT_OF(name, file)                            \
	__asm__(".section .rodata\n"                   \
		".globl " #name "\n" #name ":\n"       \
		".incbin \"harness/board/" file "\"\n" \
		".byte 0\n"                            \
		".previous\n")

TEXT_OF(board_init_script, "init.sh");
TEXT_OF(board_kernel_config, "kernel.config");
