/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counts: the counter's file from bytes, whole and broken, and sums by the symbols of a kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "harness/counter/instruction.h"
#include "harness/measure/counts.h"

#define HEAD                                                                                       \
	"counts 1\nfirmware 7 1 2 0 0 0 0 0\nuser 50 20 10 1 2 3 4 5\nkernel 900 300 200 0 1 2 0 " \
	"1\n"
#define BODY                                                   \
	"process 8000 0 20 8 4 0 0 0 0 0\n"                    \
	"process 80001000000908fc 1 30 12 6 1 2 3 4 5\n"       \
	"kernel-of 80001000000908fc 1 600 200 100 0 1 2 0 1\n" \
	"at ffffffff80000104 10 10 0 0 0 2 0 1\n"              \
	"at ffffffff80000100 9 0 0 0 0 0 0 0\n"                \
	"at ffffffff800000fe 5 0 5 0 1 0 0 0\n"                \
	"at ffffffff80000200 3 0 0 0 0 0 0 0\n"
#define KALLSYMS                         \
	"ffffffff80000100 T __memcpy\n"  \
	"ffffffff80000100 W memcpy\n"    \
	"ffffffff80000108 t after\n"     \
	"ffffffff80000106 d some_data\n" \
	"ffffffff800000f0 T before\n"    \
	"ffffffff80000200 T fallback_scalar_usercopy\t[module]\n"

static int read_text(const char *text, struct counts *counts, struct reason *reason)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int status;

	assert_non_null(file);
	status = counts_read(file, counts, reason);
	fclose(file);
	return status;
}

static void read_symbols(const char *text, struct symbols *symbols)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct reason reason;

	assert_non_null(file);
	assert_int_equal(symbols_read(file, symbols, &reason), 0);
	fclose(file);
}

static void totals_and_the_server(void **state)
{
	struct counts counts;
	struct reason reason;

	(void)state;
	assert_int_equal(read_text(HEAD BODY "end\n", &counts, &reason), 0);
	assert_int_equal(counts.firmware.instructions, 7);
	assert_int_equal(counts.user.loads, 20);
	assert_int_equal(counts.kernel.stores, 200);
	assert_int_equal(count_misaligned(&counts.user), 1 + 2 + 3 + 4);
	assert_int_equal(counts.user.crossings, 5);
	assert_int_equal(counts.server_user.instructions, 30);
	assert_int_equal(counts.server_kernel.instructions, 600);
	assert_int_equal(counts.address_count, 4);
	counts_free(&counts);
}

static void counts_with_something_lost_are_none(void **state)
{
	static const char *const lost[] = { HEAD BODY "lost 2\nend\n",
					    HEAD BODY "lost-turns 2\nend\n" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct counts counts;
		struct reason reason;

		assert_int_equal(read_text(lost[i], &counts, &reason), -1);
		assert_non_null(strstr(reason.text, "no room for"));
		assert_non_null(strstr(reason.text, i ? "2 turns" : "2 addresses"));
		assert_null(counts.addresses);
	}
}

static void the_last_of_several_holds(void **state)
{
	struct counts counts;
	struct reason reason;

	(void)state;
	assert_int_equal(read_text(HEAD BODY "end\ncounts 1\nfirmware 1 0 0 0 0 0 0 0\nend\n",
				   &counts, &reason),
			 0);
	assert_int_equal(counts.firmware.instructions, 1);
	assert_int_equal(counts.kernel.instructions, 0);
	assert_int_equal(counts.address_count, 0);
	counts_free(&counts);
}

static void sums_go_from_symbol_to_symbol(void **state)
{
	struct count_numbers numbers;
	struct symbols symbols;
	struct counts counts;
	struct reason reason;

	(void)state;
	assert_int_equal(read_text(HEAD BODY "end\n", &counts, &reason), 0);
	read_symbols(KALLSYMS, &symbols);
	assert_int_equal(symbols.count, 5);
	assert_true(counts_of_symbol(&counts, &symbols, "memcpy", &numbers));
	assert_int_equal(numbers.instructions, 19);
	assert_int_equal(numbers.crossings, 1);
	/* By its other name too, whichever of the two is the first. */
	assert_true(counts_of_symbol(&counts, &symbols, "__memcpy", &numbers));
	assert_int_equal(numbers.instructions, 19);
	assert_true(counts_of_symbol(&counts, &symbols, "before", &numbers));
	assert_int_equal(numbers.instructions, 5);
	assert_true(counts_of_symbol(&counts, &symbols, "after", &numbers));
	assert_int_equal(numbers.instructions, 0);
	assert_false(counts_of_symbol(&counts, &symbols, "some_data", &numbers));
	counts_of_memcpy(&counts, &symbols, &numbers);
	assert_int_equal(numbers.instructions, 19);
	/* The last symbol goes on to the end. */
	counts_of_usercopy(&counts, &symbols, &numbers);
	assert_int_equal(numbers.instructions, 3);
	symbols_free(&symbols);
	counts_free(&counts);
}

static void what_is_broken_is_refused(void **state)
{
	static const char *const broken[] = {
		"",
		"counts 1\n",
		HEAD BODY,
		HEAD BODY "end\n" HEAD,
		"counts 2\nend\n",
		"count 1\nend\n",
		HEAD "at ffff 1 2 3\nend\n",
		HEAD "at xyz 1 2 3 4 5 6 7 8\nend\n",
		HEAD "process 80 1 2 3\nend\n",
		HEAD "process 80\nend\n",
		HEAD "kernel 1 2 3 4 5 6 7 8 9\nend\n",
		HEAD "something else\nend\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct reason reason = { "" };
		struct counts counts;

		/* fmemopen() takes no empty text. */
		if (!*broken[i])
			continue;
		if (!read_text(broken[i], &counts, &reason))
			fail_msg("taken: %s", broken[i]);
		assert_string_not_equal(reason.text, "");
		counts_free(&counts);
	}
}

static void a_kernel_that_hides_its_symbols(void **state)
{
	static const char hidden[] = "0000000000000000 T memcpy\n";
	FILE *file = fmemopen((void *)(uintptr_t)hidden, strlen(hidden), "r");
	struct symbols symbols;
	struct reason reason;

	(void)state;
	assert_int_equal(symbols_read(file, &symbols, &reason), -1);
	assert_non_null(strstr(reason.text, "kptr_restrict"));
	fclose(file);
	symbols_free(&symbols);
}

/* The encodings as the assembler has them. */
static void instructions_that_the_counter_sees(void **state)
{
	unsigned int number;

	(void)state;
	assert_true(instruction_is_mark(0x4e102013, &number)); /* slti zero, zero, 0x4e1 */
	assert_int_equal(number, COUNTER_MARK_BEGIN);
	assert_true(instruction_is_mark(0x4f102013, &number));
	assert_int_equal(number, COUNTER_MARK_PROCESS + 1);
	assert_false(instruction_is_mark(0x4e300013, &number));	   /* addi, as in nop */
	assert_false(instruction_is_mark(0x4e102093, &number));	   /* slti ra, zero */
	assert_false(instruction_is_mark(0x4e10a013, &number));	   /* slti zero, ra */
	assert_false(instruction_is_mark(0x12302013, &number));	   /* not one of ours */
	assert_true(instruction_writes_satp(0x18079073, &number)); /* csrw satp, a5 */
	assert_int_equal(number, 15);
	assert_true(instruction_writes_satp(0x180796f3, &number));  /* csrrw a3, satp, a5 */
	assert_false(instruction_writes_satp(0x180027f3, &number)); /* csrr a5, satp */
	assert_false(instruction_writes_satp(0x10079073, &number)); /* csrw sstatus, a5 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_and_the_server),
		cmocka_unit_test(counts_with_something_lost_are_none),
		cmocka_unit_test(the_last_of_several_holds),
		cmocka_unit_test(sums_go_from_symbol_to_symbol),
		cmocka_unit_test(what_is_broken_is_refused),
		cmocka_unit_test(a_kernel_that_hides_its_symbols),
		cmocka_unit_test(instructions_that_the_counter_sees),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
