/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Calls of routines in the interpreter, and what to think of them. See judge.h. */
#include "harness/sim/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/sim/image.h"

#define WORD_BYTES   8
#define FAULTS_MAX   1000 /* in a call */
#define STACK_BYTES  ((size_t)64 << 10)
#define MARGIN_BYTES JUDGE_ALIGN_MAX /* on either side of a buffer */
#define SRC_ADDRESS  UINT64_C(0x200000000)
#define DST_ADDRESS  UINT64_C(0x300000000)
#define STACK_TOP    UINT64_C(0x400000000)

/* Which registers are the caller's business. */
enum { RA = 1, SP = 2, GP = 3, TP = 4, A0 = 10, A1 = 11, A2 = 12 };
static const unsigned char kept[] = { SP, GP, TP, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 };

/* The memory of one buffer with its margins, and what it held before. */
struct buffer {
	uint64_t address; /* of data[0] */
	unsigned char *data;
	unsigned char *before;
	unsigned char *allowed;
	size_t room_bytes;
};

struct judge {
	const struct rv64_image *image;
	struct rv64_machine machine;
	unsigned char *image_allowed;
	unsigned char *stack, *stack_allowed;
	struct buffer src, dst;
	uint64_t edge_bytes;
	/* of the call that runs */
	const struct judge_call *call;
	uint64_t src_at, dst_at;
};

/* -- memory -------------------------------------------------------------------------------- */

static bool buffer_create(struct buffer *buffer, uint64_t address)
{
	buffer->address = address;
	buffer->room_bytes = JUDGE_SIZE_MAX * 2 + 4 * MARGIN_BYTES;
	buffer->data = malloc(buffer->room_bytes);
	buffer->before = malloc(buffer->room_bytes);
	buffer->allowed = calloc(1, buffer->room_bytes);
	return buffer->data && buffer->before && buffer->allowed;
}

static void buffer_free(struct buffer *buffer)
{
	free(buffer->data);
	free(buffer->before);
	free(buffer->allowed);
}

/* Bytes [from, from + bytes) of the address space may be accessed so, as far as they are room. */
static void allow(struct buffer *buffer, uint64_t from, size_t bytes, unsigned char how)
{
	size_t first = from - buffer->address;

	for (size_t i = first; i < first + bytes && i < buffer->room_bytes; i++)
		buffer->allowed[i] |= how;
}

/* To read: the bytes, and the words in which they lie. */
static void allow_reading(struct buffer *buffer, uint64_t from, size_t bytes)
{
	uint64_t first = from & ~(uint64_t)(WORD_BYTES - 1);
	uint64_t end = (from + bytes + WORD_BYTES - 1) & ~(uint64_t)(WORD_BYTES - 1);

	if (bytes > 0)
		allow(buffer, first, end - first, RV64_READ);
}

/* -- life ---------------------------------------------------------------------------------- */

static void watch(void *context, const struct rv64_access *access)
{
	struct judge *judge = context;
	uint64_t begin = judge->src_at, end = judge->src_at + judge->call->bytes;

	if (access->write || access->address - judge->src.address >= judge->src.room_bytes)
		return;
	if (access->address < begin)
		judge->edge_bytes += begin - access->address;
	if (access->address + access->bytes > end)
		judge->edge_bytes += access->address + access->bytes - end;
}

static void add_region(struct rv64_machine *machine, uint64_t address, size_t bytes,
		       unsigned char *data, unsigned char *allowed)
{
	machine->regions[machine->region_count++] = (struct rv64_region){
		.address = address, .bytes = bytes, .data = data, .allowed = allowed
	};
}

struct judge *judge_create(const struct rv64_image *image, unsigned int vlenb)
{
	struct judge *judge = calloc(1, sizeof(*judge));
	struct rv64_machine *machine;

	if (!judge)
		return NULL;
	machine = &judge->machine;
	judge->image = image;
	judge->image_allowed = malloc(image->bytes);
	judge->stack = calloc(1, STACK_BYTES);
	judge->stack_allowed = malloc(STACK_BYTES);
	machine->decoded = calloc(image->bytes / 2 + 1, sizeof(machine->decoded[0]));
	if (!buffer_create(&judge->src, SRC_ADDRESS) || !buffer_create(&judge->dst, DST_ADDRESS) ||
	    !judge->image_allowed || !judge->stack || !judge->stack_allowed || !machine->decoded) {
		judge_destroy(judge);
		return NULL;
	}
	memset(judge->image_allowed, RV64_READ, image->bytes);
	memset(judge->stack_allowed, RV64_READ | RV64_WRITE, STACK_BYTES);
	machine->vlenb = vlenb;
	machine->code_address = image->address;
	machine->code_bytes = image->bytes;
	machine->code = image->data;
	machine->watch = watch;
	machine->watch_context = judge;
	add_region(machine, SRC_ADDRESS, judge->src.room_bytes, judge->src.data,
		   judge->src.allowed);
	add_region(machine, DST_ADDRESS, judge->dst.room_bytes, judge->dst.data,
		   judge->dst.allowed);
	add_region(machine, STACK_TOP - STACK_BYTES, STACK_BYTES, judge->stack,
		   judge->stack_allowed);
	add_region(machine, image->address, image->bytes, image->data, judge->image_allowed);
	return judge;
}

void judge_destroy(struct judge *judge)
{
	if (!judge)
		return;
	buffer_free(&judge->src);
	buffer_free(&judge->dst);
	free(judge->image_allowed);
	free(judge->stack);
	free(judge->stack_allowed);
	free(judge->machine.decoded);
	free(judge);
}

/* -- before the call ----------------------------------------------------------------------- */

static struct buffer *buffer_of_dst(struct judge *judge)
{
	return judge->call->distance ? &judge->src : &judge->dst;
}

/* What there is room for: all of it, or what comes before the fault that must happen. */
static size_t room_of(const struct judge_call *call)
{
	return call->bytes > JUDGE_SIZE_MAX ? judge_possible_bytes(call) : call->bytes;
}

static bool is_filling(const struct judge_call *call)
{
	return call->function == COPY_MEMSET || call->function == COPY_CLEARUSER;
}

/* A fault begins a page, so the buffer begins so far before one. */
static uint64_t place(uint64_t base, unsigned int align, size_t fault)
{
	uint64_t page = base + MARGIN_BYTES + (JUDGE_SIZE_MAX & ~(uint64_t)(JUDGE_ALIGN_MAX - 1));

	return fault == JUDGE_NO_FAULT ? base + MARGIN_BYTES + align : page - fault;
}

static void prepare(struct judge *judge)
{
	const struct judge_call *call = judge->call;
	size_t readable = call->src_fault < call->bytes ? call->src_fault : call->bytes;
	size_t writable = call->dst_fault < call->bytes ? call->dst_fault : call->bytes;
	struct buffer *dst = buffer_of_dst(judge);

	judge->edge_bytes = 0;
	judge->src_at = place(SRC_ADDRESS, call->src_align, call->src_fault);
	judge->dst_at = place(DST_ADDRESS, call->dst_align, call->dst_fault);
	if (call->distance) {
		judge->src_at += call->distance < 0 ? (uint64_t)-call->distance : 0;
		judge->dst_at = judge->src_at + (uint64_t)call->distance;
	}
	if (!is_filling(call))
		allow_reading(&judge->src, judge->src_at, readable);
	allow_reading(dst, judge->dst_at, writable);
	allow(dst, judge->dst_at, writable, RV64_WRITE);
}

/*
 * What a call may touch of a buffer, with room for a mistake; the rest of it is as it always was.
 * Where source and destination overlap, both lie in the source's.
 */
static bool window(const struct judge *judge, const struct buffer *buffer, size_t *first,
		   size_t *bytes)
{
	uint64_t low = buffer == &judge->dst ? judge->dst_at : judge->src_at;
	uint64_t high = low;

	if (judge->call->distance) {
		if (buffer == &judge->dst)
			return false;
		low = judge->src_at < judge->dst_at ? judge->src_at : judge->dst_at;
		high = judge->src_at < judge->dst_at ? judge->dst_at : judge->src_at;
	}
	*first = low - WORD_BYTES - buffer->address;
	*bytes = high - low + room_of(judge->call) + 2 * WORD_BYTES;
	return true;
}

static void fill(const struct judge *judge, struct buffer *buffer, uint64_t seed)
{
	size_t first, bytes;

	if (!window(judge, buffer, &first, &bytes))
		return;
	judge_make_noise(buffer->data + first, bytes, seed);
	memcpy(buffer->before + first, buffer->data + first, bytes);
}

static void forget(const struct judge *judge, struct buffer *buffer)
{
	size_t first, bytes;

	if (!window(judge, buffer, &first, &bytes))
		return;
	memset(buffer->allowed + first, 0, bytes);
}

static void set_registers(struct judge *judge)
{
	struct rv64_machine *machine = &judge->machine;

	/* Values that no address and no size looks like. */
	for (unsigned int i = 1; i < 32; i++)
		machine->x[i] = UINT64_C(0xdead0000beef0000) + i;
	machine->x[RA] = RV64_RETURN_ADDRESS;
	machine->x[SP] = STACK_TOP;
	machine->x[A0] = judge->dst_at;
	machine->x[A1] = judge->src_at;
	machine->x[A2] = judge->call->bytes;
	if (judge->call->function == COPY_MEMSET)
		machine->x[A1] = (uint64_t)(int64_t)judge->call->value;
	if (judge->call->function == COPY_CLEARUSER)
		machine->x[A1] = judge->call->bytes;
	machine->pc = judge->call->entry;
	machine->counts = (struct rv64_counts){ 0 };
	machine->vstart = 0;
}

/* -- after it ------------------------------------------------------------------------------ */

static void check_end(const struct judge *judge, enum rv64_end end, struct judge_verdict *verdict)
{
	const struct rv64_machine *machine = &judge->machine;
	const char *what = machine->fault_is_write ? "wrote" : "read";
	uint64_t at = machine->fault_address;

	switch (end) {
	case RV64_RETURNED:
		break;
	case RV64_FAULTED:
		if (at - judge->dst.address < judge->dst.room_bytes || judge->call->distance)
			judge_wrong(verdict, "%s destination %+lld, of %zu bytes", what,
				    (long long)(at - judge->dst_at), judge->call->bytes);
		else if (at - judge->src.address < judge->src.room_bytes)
			judge_wrong(verdict, "%s source %+lld, of %zu bytes", what,
				    (long long)(at - judge->src_at), judge->call->bytes);
		else
			judge_wrong(verdict, "%s address 0x%llx, which is no buffer", what,
				    (unsigned long long)at);
		break;
	case RV64_ILLEGAL:
		judge_wrong(verdict, "an instruction at 0x%llx that is not known here%s",
			    (unsigned long long)machine->pc,
			    machine->vlenb ? "" : ", or vector code on a machine without V");
		break;
	case RV64_LOST:
		judge_wrong(verdict, "jumped to 0x%llx, where there is no code",
			    (unsigned long long)machine->pc);
		break;
	case RV64_ENDLESS:
		judge_wrong(verdict, "did not end within %llu instructions",
			    (unsigned long long)machine->counts.instructions);
		break;
	}
}

static void check_registers(const struct judge *judge, struct judge_verdict *verdict)
{
	const struct rv64_machine *machine = &judge->machine;

	for (size_t i = 0; i < sizeof(kept); i++) {
		uint64_t was = kept[i] == SP ? STACK_TOP : UINT64_C(0xdead0000beef0000) + kept[i];

		if (machine->x[kept[i]] != was)
			judge_wrong(verdict, "did not restore register x%u", kept[i]);
	}
	if (machine->vlenb && machine->vstart)
		judge_wrong(verdict, "returned with vstart at %llu",
			    (unsigned long long)machine->vstart);
}

static enum rv64_end run(struct judge *judge)
{
	uint64_t limit = 4096 + 512 * (uint64_t)room_of(judge->call);
	struct rv64_machine *machine = &judge->machine;
	enum rv64_end end;

	for (unsigned int faults = 0; faults < FAULTS_MAX; faults++) {
		uint64_t go_on;

		end = rv64_run(machine, limit);
		if (end != RV64_FAULTED || !judge_may_fault(judge->call->function) ||
		    !rv64_image_fixup(judge->image, machine->pc, &go_on))
			return end;
		machine->pc = go_on;
	}
	return RV64_ENDLESS; /* the fix-ups lead from one fault to the next */
}

static void check_call(struct judge *judge, enum rv64_end end, struct judge_verdict *verdict)
{
	const struct judge_call *call = judge->call;
	const struct buffer *dst = buffer_of_dst(judge);
	size_t dst_offset = judge->dst_at - dst->address;
	const struct judge_memory memory = {
		.dst = dst->data + dst_offset,
		.dst_before = dst->before + dst_offset,
		.src_before = judge->src.before + (judge->src_at - judge->src.address),
	};
	uint64_t returned = judge->machine.x[A0];

	check_end(judge, end, verdict);
	if (!verdict->right)
		return;
	check_registers(judge, verdict);
	judge_outcome(call, &memory,
		      judge_may_fault(call->function) ? returned : returned - judge->dst_at,
		      verdict);
}

static void check_huge_call(const struct judge *judge, enum rv64_end end,
			    struct judge_verdict *verdict)
{
	const struct judge_call *call = judge->call;

	if (end == RV64_FAULTED && !judge_may_fault(call->function))
		return;
	check_end(judge, end, verdict);
	judge_outcome_huge(call, judge->machine.x[A0], verdict);
}

void judge_run(struct judge *judge, const struct judge_call *call, struct judge_verdict *verdict)
{
	enum rv64_end end;

	*verdict = (struct judge_verdict){ .right = true };
	judge->call = call;
	prepare(judge);
	fill(judge, &judge->src, 0x9e3779b97f4a7c15);
	fill(judge, &judge->dst, 0xc2b2ae3d27d4eb4f);
	set_registers(judge);
	end = run(judge);
	if (call->bytes > JUDGE_SIZE_MAX)
		check_huge_call(judge, end, verdict);
	else
		check_call(judge, end, verdict);
	verdict->counts = judge->machine.counts;
	verdict->edge_bytes = judge->edge_bytes;
	forget(judge, &judge->src);
	forget(judge, &judge->dst);
}
