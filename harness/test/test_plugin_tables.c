/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The tables of the counter's plugin, full too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/counter/plugin_processes.h"
#include "harness/counter/plugin_slots.h"

static void add(uint64_t satp, uint64_t instructions)
{
	struct process *process = processes_find(satp);

	assert_non_null(process);
	process->space[USER][INSTRUCTIONS] += instructions;
}

static void processes_have_accounts_of_their_own(void **state)
{
	(void)state;
	processes_begin();
	add(10, 1);
	add(20, 2);
	add(10, 4);
	assert_int_equal(processes_find(10)->space[USER][INSTRUCTIONS], 5);
	assert_int_equal(processes_find(20)->space[USER][INSTRUCTIONS], 2);
	processes_begin();
	assert_null(processes_at(0));
	assert_int_equal(processes_find(10)->space[USER][INSTRUCTIONS], 0);
}

static void a_mark_outlives_the_beginning(void **state)
{
	(void)state;
	assert_int_equal(processes_mark(30, 1), 0);
	add(30, 7);
	processes_begin();
	assert_int_equal(processes_at(0)->satp, 30);
	assert_int_equal(processes_at(0)->id, 1);
	assert_int_equal(processes_at(0)->space[USER][INSTRUCTIONS], 0);
	assert_null(processes_at(1));
}

/* The one that was marked has ended: whoever has its satp then is somebody else. */
static void a_mark_is_one_process(void **state)
{
	(void)state;
	assert_int_equal(processes_mark(40, 1), 0);
	assert_int_equal(processes_mark(50, 1), 0);
	assert_int_equal(processes_mark(60, 2), 0);
	assert_int_equal(processes_find(40)->id, 0);
	assert_int_equal(processes_find(50)->id, 1);
	assert_int_equal(processes_find(60)->id, 2);
}

/* More come in a session than there is room for; two are marked. */
static void a_long_session_does_not_fill_the_table(void **state)
{
	(void)state;
	for (uint64_t cell = 1; cell < 10; cell++) {
		assert_int_equal(processes_mark(cell * 1000, 1), 0);
		processes_begin();
		for (uint64_t i = 1; processes_at(PROCESSES_MAX - 1) == NULL; i++)
			assert_non_null(processes_find(cell * 1000 + i));
	}
}

static void a_full_table_says_so(void **state)
{
	(void)state;
	processes_begin();
	for (uint64_t i = 0; processes_find(100000 + i); i++)
		assert_true(i < PROCESSES_MAX);
	/* Those that are in it still have theirs, and a mark can still be made. */
	assert_non_null(processes_find(100001));
	assert_int_equal(processes_mark(1, 1), 0);
	assert_int_equal(processes_find(1)->id, 1);
	assert_null(processes_find(2));
	for (unsigned int id = 2; id <= PROCESSES_MAX; id++)
		assert_int_equal(processes_mark(200000 + id, id), 0);
	assert_int_equal(processes_mark(300000, PROCESSES_MAX + 1), -1);
}

static void slots_are_given_once(void **state)
{
	size_t one = slots_find(0xffffffff80000000), other = slots_find(0xffffffff80000002);

	(void)state;
	assert_int_equal(one, SLOT_FIRST + 1);
	assert_int_equal(other, one + 1);
	assert_int_equal(slots_find(0xffffffff80000000), one);
	assert_int_equal(slots_address(other), 0xffffffff80000002);
	assert_int_equal(slots_used(), other + 1);
	assert_int_equal(slots_lost(), 0);
}

/* Addresses that hash alike too: all two apart, as a kernel's text has them, and then far ones. */
static void slots_run_out_and_say_so(void **state)
{
	size_t used = slots_used();

	(void)state;
	for (size_t i = used; i < SLOTS; i++)
		assert_int_equal(slots_find(UINT64_C(0xffffffff90000000) + 2 * i), i);
	assert_int_equal(slots_used(), SLOTS);
	for (uint64_t i = 1; i <= 3; i++)
		assert_int_equal(slots_find(i << 20), SLOT_LOST);
	assert_int_equal(slots_lost(), 3);
	for (size_t i = used; i < SLOTS; i++)
		assert_int_equal(slots_find(UINT64_C(0xffffffff90000000) + 2 * i), i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_have_accounts_of_their_own),
		cmocka_unit_test(a_mark_outlives_the_beginning),
		cmocka_unit_test(a_mark_is_one_process),
		cmocka_unit_test(a_long_session_does_not_fill_the_table),
		cmocka_unit_test(a_full_table_says_so),
		cmocka_unit_test(slots_are_given_once),
		cmocka_unit_test(slots_run_out_and_say_so),
	};

	return cmocka_run_group_tests_name("plugin_tables", tests, NULL, NULL);
}
