/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What to think of a call. See verdict.h. */
#include "harness/sim/verdict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SHOWN_BYTES 4 /* on either side of the first one that is wrong */

bool judge_may_fault(enum copy_function function)
{
	return function == COPY_USERCOPY || function == COPY_CLEARUSER;
}

static bool is_filling(const struct judge_call *call)
{
	return call->function == COPY_MEMSET || call->function == COPY_CLEARUSER;
}

size_t judge_possible_bytes(const struct judge_call *call)
{
	size_t possible = call->bytes;

	if (call->src_fault < possible && !is_filling(call))
		possible = call->src_fault;
	return call->dst_fault < possible ? call->dst_fault : possible;
}

void judge_wrong(struct judge_verdict *verdict, const char *format, ...)
{
	va_list arguments;

	if (!verdict->right)
		return;
	verdict->right = false;
	va_start(arguments, format);
	vsnprintf(verdict->problem, sizeof(verdict->problem), format, arguments);
	va_end(arguments);
}

static unsigned char wanted_byte(const struct judge_call *call, const struct judge_memory *memory,
				 size_t i)
{
	switch (call->function) {
	case COPY_MEMSET:
		return (unsigned char)call->value;
	case COPY_CLEARUSER:
		return 0;
	default:
		return memory->src_before[i];
	}
}

/* The bytes about position `at`, that one in brackets. */
static void print_bytes(char *text, size_t text_bytes, const struct judge_call *call,
			const struct judge_memory *memory, size_t at, bool wanted)
{
	size_t first = at < SHOWN_BYTES ? 0 : at - SHOWN_BYTES;
	size_t possible = judge_possible_bytes(call); /* no more is mapped */
	size_t end = possible - at <= SHOWN_BYTES ? possible : at + SHOWN_BYTES + 1;
	size_t used = 0;

	for (size_t i = first; i < end && used < text_bytes; i++)
		used += (size_t)snprintf(text + used, text_bytes - used,
					 i == at ? " [%02x]" : " %02x",
					 wanted ? wanted_byte(call, memory, i) : memory->dst[i]);
}

/* Bytes [0, copied) of the destination are copied. */
static void check_bytes(const struct judge_call *call, const struct judge_memory *memory,
			size_t copied, struct judge_verdict *verdict)
{
	char is[64], wanted[64];
	size_t i = 0;

	if (!is_filling(call) && !memcmp(memory->dst, memory->src_before, copied))
		return;
	while (i < copied && memory->dst[i] == wanted_byte(call, memory, i))
		i++;
	if (i == copied)
		return;
	print_bytes(is, sizeof(is), call, memory, i, false);
	print_bytes(wanted, sizeof(wanted), call, memory, i, true);
	judge_wrong(verdict, "byte %zu of %zu is 0x%02x, should be 0x%02x: is%s, want%s", i,
		    call->bytes, memory->dst[i], wanted_byte(call, memory, i), is, wanted);
}

static size_t count_beyond(const struct judge_call *call, const struct judge_memory *memory,
			   size_t copied)
{
	/* From where it faults on nothing can be written, and on a machine not read either. */
	size_t end = call->dst_fault < call->bytes ? call->dst_fault : call->bytes;

	while (end > copied && memory->dst[end - 1] == memory->dst_before[end - 1])
		end--;
	return end - copied;
}

static void check_residue(const struct judge_call *call, const struct judge_memory *memory,
			  uint64_t residue, struct judge_verdict *verdict)
{
	size_t possible = judge_possible_bytes(call);
	size_t copied;

	if (residue > call->bytes) {
		judge_wrong(verdict, "returned %llu as not copied, of %zu",
			    (unsigned long long)residue, call->bytes);
		return;
	}
	copied = call->bytes - residue;
	if (copied > possible) {
		judge_wrong(verdict, "says that %zu bytes of %zu were copied, %zu can have been",
			    copied, call->bytes, possible);
		return;
	}
	check_bytes(call, memory, copied, verdict);
	if (possible == call->bytes && residue)
		judge_wrong(verdict, "returned %llu as not copied, though nothing faulted",
			    (unsigned long long)residue);
	verdict->late_bytes = possible - copied;
	verdict->beyond_bytes = count_beyond(call, memory, copied);
	verdict->no_progress = copied == 0 && possible > 0;
}

void judge_outcome(const struct judge_call *call, const struct judge_memory *memory,
		   uint64_t returned, struct judge_verdict *verdict)
{
	if (judge_may_fault(call->function)) {
		check_residue(call, memory, returned, verdict);
		return;
	}
	if (returned)
		judge_wrong(verdict, "returned destination %+lld", (long long)returned);
	check_bytes(call, memory, call->bytes, verdict);
}

void judge_outcome_huge(const struct judge_call *call, uint64_t returned,
			struct judge_verdict *verdict)
{
	if (!judge_may_fault(call->function)) {
		judge_wrong(verdict, "returned, though memory ends after %zu of %zu bytes",
			    judge_possible_bytes(call), call->bytes);
		return;
	}
	if (returned > call->bytes || call->bytes - returned > judge_possible_bytes(call))
		judge_wrong(verdict, "returned %llu as not copied, of %zu; memory ends after %zu",
			    (unsigned long long)returned, call->bytes, judge_possible_bytes(call));
}

/* An xorshift generator. */
void judge_make_noise(unsigned char *data, size_t bytes, uint64_t seed)
{
	uint64_t state = seed;

	for (size_t i = 0; i < bytes; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		data[i] = (unsigned char)(state >> 32);
	}
}
