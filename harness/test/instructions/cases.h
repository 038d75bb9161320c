/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What instructions.S is called with, by the interpreter and, under qemu, by the driver: a line for
 * each call, with all that it put out.
 */
#ifndef HARNESS_TEST_INSTRUCTIONS_CASES_H
#define HARNESS_TEST_INSTRUCTIONS_CASES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OUTPUT_WORDS 1024
#define MEMORY_BYTES 512

static const uint64_t operands[] = {
	0,
	1,
	2,
	7,
	31,
	32,
	63,
	64,
	0x7f,
	0x80,
	0xff,
	0x8000,
	0xffff,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x123456789abcdef0,
	0x7fffffffffffffff,
	0x8000000000000000,
	0xffffffffffffffff,
	0xffffffff80000000,
	0x0102030405060708,
};
#define OPERANDS (sizeof(operands) / sizeof(operands[0]))

static inline void fill_memory(unsigned char *memory)
{
	for (size_t i = 0; i < MEMORY_BYTES; i++)
		memory[i] = (unsigned char)(i * 73 + 0x85);
}

static inline void print_output(FILE *out, const char *name, uint64_t a, uint64_t b,
				const uint64_t *output, size_t words)
{
	fprintf(out, "%s %llx %llx:", name, (unsigned long long)a, (unsigned long long)b);
	for (size_t i = 0; i < words; i++)
		fprintf(out, " %llx", (unsigned long long)output[i]);
	fputc('\n', out);
}

#endif
