/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The interpreter against qemu's user mode, instruction by instruction: the same code
 * (harness/test/instructions) on the same operands has to give the same results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/sim/image.h"
#include "harness/sim/rv64.h"
#include "harness/test/instructions/cases.h"

#define OUTPUT_ADDRESS UINT64_C(0x20000000)
#define MEMORY_ADDRESS UINT64_C(0x30000000)
#define STACK_ADDRESS  UINT64_C(0x40000000)
#define STACK_BYTES    4096
#define LINE_BYTES     (OUTPUT_WORDS * 20)

#ifdef INSTRUCTIONS_FILE
__asm__(".section .rodata\n.balign 8\ninstructions_begin:\n.incbin \"" INSTRUCTIONS_FILE
	"\"\ninstructions_end:\n.byte 0\n.previous\n");
extern const unsigned char instructions_begin[], instructions_end[];

static struct rv64_image image;
static struct rv64_machine machine;
static uint64_t output[OUTPUT_WORDS];
static _Alignas(8) unsigned char memory[MEMORY_BYTES];
static _Alignas(8) unsigned char stack[STACK_BYTES];
static unsigned char allowed[sizeof(output)];

static void set_up_machine(unsigned int vlen_bits)
{
	char why[128];

	memset(&machine, 0, sizeof(machine));
	if (!rv64_image_load(&image, instructions_begin,
			     (size_t)(instructions_end - instructions_begin), why, sizeof(why)))
		fail_msg("instructions.elf: %s", why);
	memset(allowed, RV64_READ | RV64_WRITE, sizeof(allowed));
	fill_memory(memory);
	machine.vlenb = vlen_bits / 8;
	machine.code_address = image.address;
	machine.code_bytes = image.bytes;
	machine.code = image.data;
	machine.decoded = calloc(image.bytes / 2 + 1, sizeof(machine.decoded[0]));
	machine.regions[0] = (struct rv64_region){ OUTPUT_ADDRESS, sizeof(output),
						   (unsigned char *)output, allowed };
	machine.regions[1] =
		(struct rv64_region){ MEMORY_ADDRESS, sizeof(memory), memory, allowed };
	machine.regions[2] = (struct rv64_region){ STACK_ADDRESS, sizeof(stack), stack, allowed };
	machine.region_count = 3;
}

static void tear_down_machine(void)
{
	free(machine.decoded);
	rv64_image_free(&image);
}

/* Runs a function and writes what it put out, as the driver does. */
static void interpret(char *line, const char *kind, uint64_t a, uint64_t b)
{
	FILE *text = fmemopen(line, LINE_BYTES, "w");
	char function[32];
	size_t bytes;
	enum rv64_end end;

	snprintf(function, sizeof(function), "instructions_%s", kind);
	assert_true(rv64_image_function(&image, function, &machine.pc, &bytes));
	memset(output, 0, sizeof(output));
	machine.x[1] = RV64_RETURN_ADDRESS;
	machine.x[2] = STACK_ADDRESS + STACK_BYTES;
	machine.x[10] = OUTPUT_ADDRESS;
	machine.x[11] = MEMORY_ADDRESS;
	machine.x[12] = a;
	machine.x[13] = b;
	end = rv64_run(&machine, 100000);
	if (end != RV64_RETURNED)
		fail_msg("%s %llx %llx: ended by %d at 0x%llx", kind, (unsigned long long)a,
			 (unsigned long long)b, end, (unsigned long long)machine.pc);
	print_output(text, kind, a, b, output, (machine.x[10] - OUTPUT_ADDRESS) / 8);
	fclose(text);
}

/* The first result that differs, by its number. */
static void compare(const char *ours, const char *theirs)
{
	size_t number = 0, at = strcspn(ours, ":");

	if (strcmp(ours, theirs) == 0)
		return;
	if (strncmp(ours, theirs, at) != 0)
		fail_msg("not the same call: %.60s, %.60s", ours, theirs);
	for (size_t i = at; ours[i] && ours[i] == theirs[i]; i++)
		number += ours[i] == ' ';
	fail_msg("%.*s: result %zu (from 1 on) differs from qemu's", (int)at, ours, number);
}

static void same_as_qemu(unsigned int vlen_bits)
{
	static char ours[LINE_BYTES], theirs[LINE_BYTES];
	char command[512];
	size_t lines = 0;
	FILE *qemu;

	snprintf(command, sizeof(command), "exec qemu-riscv64 -cpu max,vlen=%u %s", vlen_bits,
		 DRIVER_FILE);
	set_up_machine(vlen_bits);
	qemu = popen(command, "r");
	assert_non_null(qemu);
	for (size_t i = 0; i < OPERANDS; i++) {
		for (size_t j = 0; j < OPERANDS; j++) {
			static const char *const kinds[] = { "scalar", "vector" };

			for (size_t k = 0; k < 2; k++) {
				interpret(ours, kinds[k], operands[i], operands[j]);
				if (!fgets(theirs, sizeof(theirs), qemu))
					fail_msg("%s: ended after %zu calls", command, lines);
				compare(ours, theirs);
				lines++;
			}
		}
	}
	assert_int_equal(pclose(qemu), 0);
	tear_down_machine();
}

static void each_instruction_does_what_it_does_in_qemu(void **state)
{
	(void)state;
	if (system("qemu-riscv64 -cpu help 2>/dev/null | grep -qw max"))
		skip(); /* none, or one before 8.0 */
	same_as_qemu(128);
	same_as_qemu(256);
	same_as_qemu(512);
}
#else
static void each_instruction_does_what_it_does_in_qemu(void **state)
{
	(void)state;
	skip(); /* no compiler for riscv64 */
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_does_what_it_does_in_qemu),
	};

	return cmocka_run_group_tests_name("instructions", tests, NULL, NULL);
}
