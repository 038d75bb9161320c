/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Loads and stores that may fault, for user copies in C: each has an entry in the fix-up table (see
 * copylib/usercopy.h) that goes on at a label of the function. As in routine.h, none is compressed.
 */
#ifndef COPYLIB_RISCV64_USER_ACCESS_H
#define COPYLIB_RISCV64_USER_ACCESS_H

#include "copylib/portable/words.h"

#define USER_ACCESS(instruction, label)                                                            \
	".option push\n.option norvc\n1: " instruction "\n.option pop\n"                           \
	".pushsection copylib_fixups, \"a\"\n.balign 4\n.4byte 1b - .\n.4byte %l[" label "] - .\n" \
	".popsection"

#define USER_LOAD(instruction, type, value, address, label)             \
	__asm__ goto(USER_ACCESS(instruction " %[to], %[from]", #label) \
		     : [to] "=r"(value)                                 \
		     : [from] "m"(*(const type *)(address))             \
		     : "memory"                                         \
		     : label)
#define USER_STORE(instruction, type, value, address, label)            \
	__asm__ goto(USER_ACCESS(instruction " %[from], %[to]", #label) \
		     :                                                  \
		     : [from] "r"(value), [to] "m"(*(type *)(address))  \
		     : "memory"                                         \
		     : label)

#define load_user_byte(value, address, label) USER_LOAD("lbu", unsigned char, value, address, label)
#define load_user_quarter(value, address, label) \
	USER_LOAD("lhu", quarter_word, value, address, label)
#define load_user_half(value, address, label) USER_LOAD("lw", half_word, value, address, label)
#define load_user_word(value, address, label) USER_LOAD("ld", word, value, address, label)
#define store_user_byte(value, address, label) \
	USER_STORE("sb", unsigned char, value, address, label)
#define store_user_quarter(value, address, label) \
	USER_STORE("sh", quarter_word, value, address, label)
#define store_user_half(value, address, label) USER_STORE("sw", half_word, value, address, label)
#define store_user_word(value, address, label) USER_STORE("sd", word, value, address, label)

#endif
