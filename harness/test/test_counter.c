/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The counter in a QEMU without an operating system: four words that add up and store for ever.
 * What runs does not stop while a count begins and ends, so each count must still hold only what
 * came between the two, in the proportions of the loop.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/host/counter.h"

#define QEMU  "qemu-system-riscv64"
#define TURNS 200
/* Of 5 ms each, on a slow machine. */
#define INSTRUCTIONS_MAX UINT64_C(200000000)

/* Where the firmware would be: sp = here + 256; then: sd a0, 0(sp); addi a0, a0, 1; j to the sd. */
static const uint32_t program[] = { 0x00000117, 0x10010113, 0x00a13023, 0x00150513, 0xff9ff06f };

static void wait_ms(long ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void write_program(const char *path)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(program, sizeof(program), 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

static pid_t start_qemu(const char *folder, const char *firmware)
{
	struct reason reason;
	char plugin[512];
	pid_t child;

	if (counter_option(folder, plugin, sizeof(plugin), &reason))
		fail_msg("%s", reason.text);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp(QEMU, QEMU, "-M", "virt", "-m", "64", "-display", "none", "-monitor", "none",
		       "-serial", "none", "-bios", firmware, "-plugin", plugin, (char *)NULL);
		_exit(127);
	}
	return child;
}

/* On a busy machine nothing may have run. */
static void check_turn(const struct counts *counts, int turn)
{
	const struct count_numbers *loop = &counts->firmware;

	/* It takes three instructions a store; begin and end may each be anywhere in it. */
	if (loop->instructions > INSTRUCTIONS_MAX || loop->loads ||
	    loop->stores > loop->instructions / 3 + 1000 ||
	    loop->stores + 1000 < loop->instructions / 3)
		fail_msg("turn %d: %llu instructions, %llu loads, %llu stores", turn,
			 (unsigned long long)loop->instructions, (unsigned long long)loop->loads,
			 (unsigned long long)loop->stores);
	assert_int_equal(counts->kernel.instructions, 0);
	assert_int_equal(count_misaligned(loop), 0);
}

/* What has to go again, however the test ends. */
static struct {
	char folder[64], firmware[128];
	pid_t qemu;
} machine;

static int tear_down(void **state)
{
	(void)state;
	if (machine.qemu > 0) {
		kill(machine.qemu, SIGKILL);
		waitpid(machine.qemu, NULL, 0);
	}
	if (*machine.folder) {
		unlink(machine.firmware);
		counter_clean(machine.folder);
	}
	return 0;
}

static void set_up(void)
{
	struct reason reason;
	char socket[128];

	if (counter_make_folder(machine.folder, sizeof(machine.folder), &reason))
		fail_msg("%s", reason.text);
	snprintf(machine.firmware, sizeof(machine.firmware), "%s/program", machine.folder);
	snprintf(socket, sizeof(socket), "%s/socket", machine.folder);
	write_program(machine.firmware);
	machine.qemu = start_qemu(machine.folder, machine.firmware);
	for (int i = 0; i < 1000 && access(socket, F_OK); i++)
		wait_ms(10);
	/* Much more than a turn has, for one that does not begin anew. */
	wait_ms(3000);
}

static void a_count_holds_what_came_since_its_begin(void **state)
{
	struct reason reason;
	struct counts counts;
	int ran = 0;

	(void)state;
	if (system(QEMU " --version >/dev/null 2>&1")) {
		print_message("no " QEMU "\n");
		skip();
	}
	set_up();
	for (int turn = 0; turn < TURNS; turn++) {
		if (counter_begin(machine.folder, &reason))
			fail_msg("%s", reason.text);
		wait_ms(5);
		if (counter_end(machine.folder, &counts, &reason))
			fail_msg("%s", reason.text);
		check_turn(&counts, turn);
		ran += counts.firmware.instructions > 0;
		counts_free(&counts);
	}
	assert_in_range(ran, TURNS / 10, TURNS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_count_holds_what_came_since_its_begin, tear_down),
	};

	return cmocka_run_group_tests_name("counter", tests, NULL, NULL);
}
