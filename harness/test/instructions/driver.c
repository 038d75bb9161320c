/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Calls instructions.S on the machine itself, which is riscv64 (or qemu in its place). */
#include <string.h>

#include "harness/test/instructions/cases.h"

uint64_t *instructions_scalar(uint64_t *output, const void *memory, uint64_t a, uint64_t b);
uint64_t *instructions_vector(uint64_t *output, const void *memory, uint64_t a, uint64_t b);

static uint64_t output[OUTPUT_WORDS];
static _Alignas(8) unsigned char memory[MEMORY_BYTES];

int main(void)
{
	fill_memory(memory);
	for (size_t i = 0; i < OPERANDS; i++) {
		for (size_t j = 0; j < OPERANDS; j++) {
			uint64_t *end;

			memset(output, 0, sizeof(output));
			end = instructions_scalar(output, memory, operands[i], operands[j]);
			print_output(stdout, "scalar", operands[i], operands[j], output,
				     (size_t)(end - output));
			memset(output, 0, sizeof(output));
			end = instructions_vector(output, memory, operands[i], operands[j]);
			print_output(stdout, "vector", operands[i], operands[j], output,
				     (size_t)(end - output));
		}
	}
	return 0;
}
