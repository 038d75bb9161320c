/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packet parser's riscv64 code in the judge: the same descriptors as here, no misaligned
 * access, no byte touched but those captured, and no more instructions than it was written for. Of
 * both builds: plain rv64gc, and with Zbb.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/sim/image.h"
#include "harness/sim/rv64.h"
#include "netbench/packet/packet.h"
#include "netbench/test/packet_builder.h"

#ifdef PACKET_FILE
__asm__(".section .rodata\n.balign 8\n"
	"packet_begin:\n.incbin \"" PACKET_FILE "\"\npacket_end:\n.balign 8\n"
	"packet_zbb_begin:\n.incbin \"" PACKET_ZBB_FILE
	"\"\npacket_zbb_end:\n.byte 0\n.previous\n");
extern const unsigned char packet_begin[], packet_end[], packet_zbb_begin[], packet_zbb_end[];

#define DATA_ADDRESS  UINT64_C(0x20000000)
#define STACK_ADDRESS UINT64_C(0x30000000)
#define STACK_BYTES   4096
#define INSTRUCTIONS  100000

/* What the routine is given and gives, as it lies in its memory: struct packet_input is the same
 * there, but for the pointer, which has as many bytes. */
struct exchange {
	uint64_t data;
	uint32_t captured_bytes, wire_bytes;
	struct packet packet;
};

static struct rv64_image image;
static struct rv64_machine machine;
static _Alignas(8) struct exchange exchange;
static _Alignas(8) unsigned char data[BUILT_BYTES_MAX + 8], stack[STACK_BYTES];
static unsigned char writable[STACK_BYTES], data_allowed[sizeof(data)], *image_allowed;

static void set_up(const unsigned char *file, size_t bytes)
{
	char why[128];

	memset(&machine, 0, sizeof(machine));
	if (!rv64_image_load(&image, file, bytes, why, sizeof(why)))
		fail_msg("%s", why);
	image_allowed = malloc(image.bytes);
	assert_non_null(image_allowed);
	memset(image_allowed, RV64_READ, image.bytes);
	memset(writable, RV64_READ | RV64_WRITE, sizeof(writable));
	machine.code_address = image.address;
	machine.code_bytes = image.bytes;
	machine.code = image.data;
	machine.decoded = calloc(image.bytes / 2 + 1, sizeof(machine.decoded[0]));
	machine.regions[0] = (struct rv64_region){ DATA_ADDRESS, sizeof(data), data, data_allowed };
	machine.regions[1] = (struct rv64_region){ STACK_ADDRESS, sizeof(stack), stack, writable };
	machine.regions[2] =
		(struct rv64_region){ STACK_ADDRESS + 2 * STACK_BYTES, sizeof(exchange),
				      (unsigned char *)&exchange, writable };
	machine.regions[3] =
		(struct rv64_region){ image.address, image.bytes, image.data, image_allowed };
	machine.region_count = 4;
}

static void tear_down(void)
{
	free(machine.decoded);
	free(image_allowed);
	rv64_image_free(&image);
}

/* Parses what is captured of it, so far from an address that is a multiple of 8. Returns the
 * instructions. */
static uint64_t judge(const char *what, const struct built *built, uint32_t captured,
		      unsigned int offset)
{
	const struct packet_input input = { built->data, captured, built->bytes };
	struct packet here;
	size_t bytes;
	enum rv64_end end;

	memset(data_allowed, 0, sizeof(data_allowed));
	memset(data_allowed + offset, RV64_READ, captured);
	memcpy(data + offset, built->data, captured);
	exchange = (struct exchange){ DATA_ADDRESS + offset, captured, built->bytes, { 0 } };
	assert_true(rv64_image_function(&image, "packet_parse", &machine.pc, &bytes));
	machine.counts = (struct rv64_counts){ 0 };
	machine.x[1] = RV64_RETURN_ADDRESS;
	machine.x[2] = STACK_ADDRESS + STACK_BYTES;
	machine.x[10] = (uint64_t)built->link;
	machine.x[11] = STACK_ADDRESS + 2 * STACK_BYTES;
	machine.x[12] = machine.x[11] + offsetof(struct exchange, packet);
	end = rv64_run(&machine, INSTRUCTIONS);
	if (end != RV64_RETURNED)
		fail_msg("%s, %u of %u bytes at +%u: end %d at %#llx, address %#llx", what,
			 captured, built->bytes, offset, end, (unsigned long long)machine.pc,
			 (unsigned long long)machine.fault_address);
	packet_parse(built->link, &input, &here);
	if (memcmp(&exchange.packet, &here, sizeof(here)))
		fail_msg("%s, %u of %u bytes at +%u: %s there, %s here", what, captured,
			 built->bytes, offset, packet_reason_name(exchange.packet.reason),
			 packet_reason_name(here.reason));
	if (machine.counts.misaligned)
		fail_msg("%s, %u of %u bytes at +%u: %llu misaligned accesses", what, captured,
			 built->bytes, offset, (unsigned long long)machine.counts.misaligned);
	return machine.counts.instructions;
}

static void judge_all(void)
{
	static const char *const recipes[] = { "E4t",	 "EoU",	   "E6hrdxU", "E4i4T",	  "E6j6U",
					       "EVV6gT", "EOp4T",  "pM4oU",   "Z4C",	  "SA",
					       "s6J",	 "N4I",	   "L6T",     "H4GEV4t",  "E4UXE4T",
					       "E6UY6U", "E4Kp4u", "4T",      "E64GM6hT", "PFU" };
	static struct built built;

	for (size_t i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		packet_build(recipes[i], 3, &built);
		for (uint32_t captured = 0; captured <= built.bytes; captured++)
			for (unsigned int offset = 0; offset < 8; offset++)
				judge(recipes[i], &built, captured, offset);
	}
}

static void check_counts(const char *build, uint64_t most)
{
	static struct built built;

	packet_build("E4T", 100, &built);
	for (unsigned int offset = 0; offset < 8; offset += 2) {
		uint64_t count = judge("E4T", &built, built.bytes, offset);

		if (count > most)
			fail_msg("%s: %llu instructions, %llu are the aim", build,
				 (unsigned long long)count, (unsigned long long)most);
		if (!offset)
			print_message("%s: %llu instructions for TCP over IPv4\n", build,
				      (unsigned long long)count);
	}
}

static void rv64gc(void **state)
{
	(void)state;
	set_up(packet_begin, (size_t)(packet_end - packet_begin));
	judge_all();
	check_counts("rv64gc", 110);
	tear_down();
}

static void with_zbb(void **state)
{
	(void)state;
	set_up(packet_zbb_begin, (size_t)(packet_zbb_end - packet_zbb_begin));
	judge_all();
	check_counts("with Zbb", 90);
	tear_down();
}
#else
static void rv64gc(void **state)
{
	(void)state;
	skip();
}

static void with_zbb(void **state)
{
	(void)state;
	skip();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rv64gc),
		cmocka_unit_test(with_zbb),
	};

	return cmocka_run_group_tests_name("packet counts", tests, NULL, NULL);
}
