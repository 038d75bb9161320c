/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Calls on this machine. See native_call.h.
 *
 * Each buffer lies in an area of its own: pages that can be used between pages that cannot, as many
 * behind as a size of 33 bits reaches. What an area holds is put back after each call, so that what
 * a call changed is known by comparing, in the buffer and on either side of it.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "harness/copies/native_call.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copylib/usercopy.h"
#include "harness/copies/registers.h"
#include "harness/copies/trials.h"
#include "harness/sim/judge.h"

#define WORD_BYTES   8
#define LARGE_PERIOD ((size_t)2 << 20)
#define MARGIN_BYTES                                                                \
	256 /* looked at on either side of a destination, as far as there is memory \
	     */

enum place {
	FRONT, /* after the page before it */
	BACK,  /* before the page behind it */
	PLACES,
};

struct area {
	unsigned char *start;
	unsigned char *end;
	unsigned char *before; /* what start[0 ..] holds between calls */
};

struct native_memory {
	struct area src, dst;
	bool has_huge; /* the pages behind reach beyond 4 GiB */
};

/* -- crashes ------------------------------------------------------------------------------- */

static struct native_now *noted_in;
static sigjmp_buf expected_return;
static volatile sig_atomic_t is_expected;
static volatile sig_atomic_t trapped;

static void crash(int number, siginfo_t *info, void *context)
{
	if (registers_was_trap(number == SIGBUS ? info->si_code : 0, context)) {
		trapped = 1;
		return;
	}
	if (is_expected)
		siglongjmp(expected_return, 1);
	if (info->si_code > 0)
		noted_in->fault_address = (uintptr_t)info->si_addr;
	signal(number, SIG_DFL); /* and fault again */
}

static int catch_crashes(struct native_now *now)
{
	struct sigaction action = { .sa_sigaction = crash,
				    .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };
	stack_t stack = { .ss_size = 65536 };

	noted_in = now;
	/* A routine may have lost its stack. */
	stack.ss_sp = malloc(stack.ss_size);
	if (!stack.ss_sp || sigaltstack(&stack, NULL) < 0)
		return -errno;
	if (sigaction(SIGSEGV, &action, NULL) < 0 || sigaction(SIGBUS, &action, NULL) < 0 ||
	    sigaction(SIGILL, &action, NULL) < 0)
		return -errno;
	return copy_faults_catch();
}

/* -- memory -------------------------------------------------------------------------------- */

static bool map_area(struct area *area, size_t bytes, size_t behind, uint64_t seed)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *whole;

	bytes = (bytes + page - 1) / page * page;
	whole = mmap(NULL, page + bytes + behind, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (whole == MAP_FAILED)
		return false;
	area->start = whole + page;
	area->end = area->start + bytes;
	area->before = malloc(bytes);
	if (!area->before || mprotect(area->start, bytes, PROT_READ | PROT_WRITE) < 0)
		return false;
	judge_make_noise(area->before, bytes, seed);
	memcpy(area->start, area->before, bytes);
	return true;
}

struct native_memory *native_memory_create(struct native_now *now, char *why, size_t why_bytes)
{
	struct native_memory *memory = calloc(1, sizeof(*memory));
	size_t bytes = 2 * JUDGE_SIZE_MAX, behind = TRIALS_HUGE_BYTES + ((size_t)1 << 20);
	int error = -ENOMEM;

	if (memory) {
		memory->has_huge = map_area(&memory->src, bytes, behind, 0x9e3779b97f4a7c15) &&
				   map_area(&memory->dst, bytes, behind, 0xc2b2ae3d27d4eb4f);
		if (memory->has_huge || (map_area(&memory->src, bytes, bytes, 0x9e3779b97f4a7c15) &&
					 map_area(&memory->dst, bytes, bytes, 0xc2b2ae3d27d4eb4f)))
			error = catch_crashes(now);
	}
	if (!error)
		return memory;
	snprintf(why, why_bytes, "%s", strerror(-error));
	free(memory);
	return NULL;
}

/* So far past a word, in the place; room: how many bytes follow. */
static unsigned char *place_in(const struct area *area, enum place place, unsigned int align,
			       size_t room)
{
	size_t past;

	if (place == FRONT)
		return area->start + align % WORD_BYTES;
	past = (uintptr_t)(area->end - room) % WORD_BYTES;
	return area->end - room - (past + WORD_BYTES - align % WORD_BYTES) % WORD_BYTES;
}

/* The part of an area that is compared when [at, at + bytes) is written. */
struct window {
	unsigned char *start;
	unsigned char *end;
};

static struct window window_about(const struct area *area, unsigned char *at, size_t bytes)
{
	size_t front = (size_t)(at - area->start), back = (size_t)(area->end - at);
	struct window window = { at - (front < MARGIN_BYTES ? front : MARGIN_BYTES), area->end };

	if (back >= bytes && back - bytes > MARGIN_BYTES)
		window.end = at + bytes + MARGIN_BYTES;
	return window;
}

static unsigned char *held_before(const struct area *area, const unsigned char *at)
{
	return area->before + (at - area->start);
}

static void put_back(const struct area *area, struct window window)
{
	memcpy(window.start, held_before(area, window.start), (size_t)(window.end - window.start));
}

/* -- the routine --------------------------------------------------------------------------- */

uintptr_t native_routine(const struct copy_variant *variant, enum copy_function function)
{
	switch (function) {
	case COPY_MEMCPY:
		return (uintptr_t)variant->memcpy;
	case COPY_MEMMOVE:
		return (uintptr_t)variant->memmove;
	case COPY_MEMSET:
		return (uintptr_t)variant->memset;
	case COPY_USERCOPY:
		return (uintptr_t)variant->usercopy;
	case COPY_CLEARUSER:
		return (uintptr_t)variant->clearuser;
	}
	return 0;
}

/* Routines for x86-64, and whatever the C library has, use what the CPU is good at. */
static bool must_be_aligned(const struct copy_variant *variant)
{
	return registers_can_trap() && variant->architectures == (unsigned int)COPY_PORTABLE &&
	       !(variant->needs & COPY_NEED_FAST_MISALIGNED) && strcmp(variant->name, "libc") != 0;
}

/* False: it crashed, as it was expected to. */
static bool make_call(struct registers_call *registers, bool expected)
{
	trapped = 0;
	is_expected = expected;
	if (expected && sigsetjmp(expected_return, 0)) {
		is_expected = 0;
		return false;
	}
	registers_call(registers);
	is_expected = 0;
	return true;
}

static struct registers_call prepare_call(const struct copy_variant *variant,
					  const struct judge_call *call,
					  const struct native_now *now)
{
	struct registers_call registers = {
		.routine = native_routine(variant, call->function),
		.arguments = { now->dst, now->src, call->bytes },
		.traps_access = must_be_aligned(variant),
	};

	if (call->function == COPY_MEMSET)
		registers.arguments[1] = (uintptr_t)(intptr_t)call->value;
	if (call->function == COPY_CLEARUSER)
		registers.arguments[1] = call->bytes;
	return registers;
}

/* -- what came out ------------------------------------------------------------------------- */

/* Beside the bytes that may be written, [at, at + bytes), nothing may differ. */
static void check_beside(const struct area *area, struct window window, const unsigned char *at,
			 size_t bytes, const char *what, struct judge_verdict *verdict)
{
	const unsigned char *byte = window.start;
	const unsigned char *held = held_before(area, byte);

	for (; byte < window.end; byte++, held++) {
		if (byte == at && bytes > 0) {
			byte += bytes - 1;
			held += bytes - 1;
			continue;
		}
		if (*byte == *held)
			continue;
		judge_wrong(verdict, "wrote %s %+td: 0x%02x, was 0x%02x", what, byte - at, *byte,
			    *held);
		return;
	}
}

static bool same(const struct area *area, struct window window)
{
	return !memcmp(window.start, held_before(area, window.start),
		       (size_t)(window.end - window.start));
}

static void check_call(const struct judge_call *call, const struct area *src_area,
		       const struct area *dst_area, const struct native_now *now,
		       const struct registers_call *registers, struct judge_verdict *verdict)
{
	unsigned char *dst = (unsigned char *)now->dst;
	unsigned char *src = (unsigned char *)now->src;
	size_t writable = call->dst_fault < call->bytes ? call->dst_fault : call->bytes;
	size_t readable = call->src_fault < call->bytes ? call->src_fault : call->bytes;
	struct window dst_window = window_about(dst_area, dst, writable);
	struct window src_window = window_about(src_area, src, readable);
	const struct judge_memory memory = {
		.dst = dst,
		.dst_before = held_before(dst_area, dst),
		.src_before = held_before(src_area, src),
	};

	if (registers->changed)
		judge_wrong(verdict, "did not restore every register that it must");
	judge_outcome(call, &memory,
		      judge_may_fault(call->function) ? registers->returned
						      : registers->returned - now->dst,
		      verdict);
	check_beside(dst_area, dst_window, dst, writable, "destination", verdict);
	if (src_area != dst_area && !same(src_area, src_window)) {
		judge_wrong(verdict, "wrote to the source");
		put_back(src_area, src_window);
	}
	put_back(dst_area, dst_window);
}

static void check_huge_call(const struct judge_call *call, const struct native_memory *memory,
			    bool returned, const struct registers_call *registers,
			    struct judge_verdict *verdict)
{
	struct window dst = { memory->dst.end - 4 * TRIALS_HUGE_ROOM, memory->dst.end };

	if (returned)
		judge_outcome_huge(call, registers->returned, verdict);
	put_back(&memory->dst, dst);
}

/* -- more bytes than 32 bits count --------------------------------------------------------- */

/* The same few pages again and again, so that memory is there for any size; NULL: no such luck. */
static unsigned char *map_again_and_again(size_t bytes)
{
	int fd = memfd_create("netbench copy", MFD_CLOEXEC);
	unsigned char *whole = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, LARGE_PERIOD) == 0)
		whole = mmap(NULL, bytes + LARGE_PERIOD, PROT_NONE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (size_t at = 0; whole != MAP_FAILED && at < bytes; at += LARGE_PERIOD)
		if (mmap(whole + at, LARGE_PERIOD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			 fd, 0) == MAP_FAILED) {
			munmap(whole, bytes + LARGE_PERIOD);
			whole = MAP_FAILED;
		}
	if (fd >= 0)
		close(fd);
	return whole == MAP_FAILED ? NULL : whole;
}

/* Every byte of the pages was written last by one so far ahead of it in the source's. */
static void check_large(const struct judge_call *call, const unsigned char *dst_pages,
			const unsigned char *src_pages, size_t ahead, struct judge_verdict *verdict)
{
	for (size_t i = 0; i < LARGE_PERIOD; i++) {
		unsigned char wanted = src_pages[(i + ahead) % LARGE_PERIOD];

		if (call->function == COPY_MEMSET)
			wanted = (unsigned char)call->value;
		if (call->function == COPY_CLEARUSER)
			wanted = 0;
		if (dst_pages[i] == wanted)
			continue;
		judge_wrong(verdict, "of %zu bytes, some were not written", call->bytes);
		return;
	}
}

static void call_large(const struct copy_variant *variant, const struct judge_call *call,
		       struct native_now *now, struct judge_verdict *verdict)
{
	size_t bytes = call->bytes + 2 * LARGE_PERIOD;
	unsigned char *src = map_again_and_again(bytes), *dst = map_again_and_again(bytes);
	struct registers_call registers;

	if (src && dst) {
		judge_make_noise(src, LARGE_PERIOD, 0x9e3779b97f4a7c15);
		memset(dst, 0x5a, LARGE_PERIOD);
		now->call = *call;
		now->dst = (uintptr_t)(dst + call->dst_align % WORD_BYTES);
		now->src = (uintptr_t)(src + call->src_align % WORD_BYTES);
		registers = prepare_call(variant, call, now);
		make_call(&registers, false);
		if (registers.changed)
			judge_wrong(verdict, "did not restore every register that it must");
		if (registers.returned != (judge_may_fault(call->function) ? 0 : now->dst))
			judge_wrong(verdict, "returned 0x%llx",
				    (unsigned long long)registers.returned);
		check_large(call, dst, src, now->src - (uintptr_t)src - (now->dst - (uintptr_t)dst),
			    verdict);
	} else {
		verdict->not_made = true;
	}
	if (src)
		munmap(src, bytes + LARGE_PERIOD);
	if (dst)
		munmap(dst, bytes + LARGE_PERIOD);
}

/* -- the call ------------------------------------------------------------------------------ */

static void call_in(struct native_memory *memory, enum place place,
		    const struct copy_variant *variant, const struct judge_call *call,
		    struct native_now *now, struct judge_verdict *verdict)
{
	const struct area *dst_area = call->distance ? &memory->src : &memory->dst;
	size_t room = call->bytes + (size_t)labs(call->distance);
	bool is_huge = call->bytes > JUDGE_SIZE_MAX, returned;
	struct registers_call registers;
	unsigned char *src, *dst;

	if (is_huge)
		room = 0; /* both fault, and that says where they lie */
	src = place_in(&memory->src, place, call->src_align, room);
	dst = place_in(dst_area, place, call->dst_align, room);
	if (call->distance) {
		src += call->distance < 0 ? -call->distance : 0;
		dst = src + call->distance;
	}
	if (call->src_fault != JUDGE_NO_FAULT)
		src = memory->src.end - call->src_fault;
	if (call->dst_fault != JUDGE_NO_FAULT)
		dst = memory->dst.end - call->dst_fault;
	now->call = *call;
	now->dst = (uintptr_t)dst;
	now->src = (uintptr_t)src;
	registers = prepare_call(variant, call, now);
	returned = make_call(&registers, is_huge);
	if (is_huge)
		check_huge_call(call, memory, returned, &registers, verdict);
	else
		check_call(call, &memory->src, dst_area, now, &registers, verdict);
	verdict->counts.misaligned += trapped ? 1 : 0;
}

void native_call(struct native_memory *memory, const struct copy_variant *variant,
		 const struct judge_call *call, struct native_now *now,
		 struct judge_verdict *verdict)
{
	bool faults = call->src_fault != JUDGE_NO_FAULT || call->dst_fault != JUDGE_NO_FAULT;

	*verdict = (struct judge_verdict){ .right = true };
	if (call->bytes > JUDGE_SIZE_MAX && !faults) {
		call_large(variant, call, now, verdict);
		return;
	}
	if (call->bytes > JUDGE_SIZE_MAX && !memory->has_huge) {
		verdict->not_made = true;
		return;
	}
	for (enum place place = faults ? BACK : FRONT; place < PLACES; place++)
		call_in(memory, place, variant, call, now, verdict);
}
