/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Runs decoded instructions, one switch a turn. An instruction that faults has no effect at all: it
 * is not counted, and the program counter still shows it, as a kernel would find it.
 */
#include <string.h>

#include "harness/sim/rv64.h"

static struct rv64_region *find_region(struct rv64_machine *machine, uint64_t address, size_t bytes)
{
	for (unsigned int i = 0; i < machine->region_count; i++) {
		struct rv64_region *region = &machine->regions[i];

		if (address - region->address < region->bytes &&
		    bytes <= region->bytes - (address - region->address))
			return region;
	}
	return NULL;
}

unsigned char *rv64_reach(struct rv64_machine *machine, uint64_t address, size_t bytes, bool write)
{
	struct rv64_region *region = find_region(machine, address, bytes);
	unsigned char wanted = write ? RV64_WRITE : RV64_READ;
	size_t offset;

	machine->fault_address = address;
	machine->fault_is_write = write;
	if (!region)
		return NULL;
	offset = address - region->address;
	for (size_t i = 0; i < bytes; i++) {
		if (!(region->allowed[offset + i] & wanted)) {
			machine->fault_address = address + i;
			return NULL;
		}
	}
	return region->data + offset;
}

static void note_access(struct rv64_machine *machine, uint64_t address, unsigned int bytes,
			bool write)
{
	if (write)
		machine->counts.stores++;
	else
		machine->counts.loads++;
	machine->counts.misaligned += address % bytes != 0;
	if (machine->watch)
		machine->watch(machine->watch_context,
			       &(struct rv64_access){ address, bytes, write, false });
}

static bool load(struct rv64_machine *machine, uint64_t address, unsigned int bytes, bool is_signed,
		 uint64_t *value)
{
	unsigned char *at = rv64_reach(machine, address, bytes, false);
	uint64_t loaded = 0;
	unsigned int unused_bits = 64 - 8 * bytes;

	if (!at)
		return false;
	memcpy(&loaded, at, bytes);
	if (is_signed)
		loaded = (uint64_t)((int64_t)(loaded << unused_bits) >> unused_bits);
	*value = loaded;
	note_access(machine, address, bytes, false);
	return true;
}

static bool store(struct rv64_machine *machine, uint64_t address, unsigned int bytes,
		  uint64_t value)
{
	unsigned char *at = rv64_reach(machine, address, bytes, true);

	if (!at)
		return false;
	memcpy(at, &value, bytes);
	note_access(machine, address, bytes, true);
	return true;
}

/* Of a 32-bit result all upper bits are its sign. */
static uint64_t word(uint64_t value)
{
	return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
}

/* -- M: what division by zero and overflow give is part of the architecture ------------------ */

static uint64_t divide(int64_t a, int64_t b)
{
	if (b == 0)
		return UINT64_MAX;
	if (a == INT64_MIN && b == -1)
		return (uint64_t)a;
	return (uint64_t)(a / b);
}

static uint64_t remainder_of(int64_t a, int64_t b)
{
	if (b == 0)
		return (uint64_t)a;
	if (a == INT64_MIN && b == -1)
		return 0;
	return (uint64_t)(a % b);
}

static uint64_t multiply_high(__int128 a, __int128 b)
{
	return (uint64_t)((unsigned __int128)(a * b) >> 64);
}

static uint64_t multiply(enum rv64_code code, uint64_t a, uint64_t b)
{
	int32_t a32 = (int32_t)a, b32 = (int32_t)b;

	switch (code) {
	case RV64_MUL:
		return a * b;
	case RV64_MULH:
		return multiply_high((int64_t)a, (int64_t)b);
	case RV64_MULHSU:
		return multiply_high((int64_t)a, (__int128)b);
	case RV64_MULHU:
		return (uint64_t)((unsigned __int128)a * b >> 64);
	case RV64_DIV:
		return divide((int64_t)a, (int64_t)b);
	case RV64_DIVU:
		return b ? a / b : UINT64_MAX;
	case RV64_REM:
		return remainder_of((int64_t)a, (int64_t)b);
	case RV64_REMU:
		return b ? a % b : a;
	case RV64_MULW:
		return word(a * b);
	case RV64_DIVW:
		return word(divide(a32, b32));
	case RV64_DIVUW:
		return (uint32_t)b ? word((uint32_t)a / (uint32_t)b) : UINT64_MAX;
	case RV64_REMW:
		return word(remainder_of(a32, b32));
	default: /* RV64_REMUW */
		return (uint32_t)b ? word((uint32_t)a % (uint32_t)b) : word(a);
	}
}

/* -- Zbb ----------------------------------------------------------------------------------- */

static uint64_t rotate_right(uint64_t a, unsigned int by)
{
	return by ? a >> by | a << (64 - by) : a;
}

static uint64_t or_combine(uint64_t a)
{
	uint64_t result = 0;

	for (unsigned int i = 0; i < 64; i += 8)
		if (a >> i & 0xff)
			result |= UINT64_C(0xff) << i;
	return result;
}

static uint64_t manipulate(const struct rv64_instruction *i, uint64_t a, uint64_t b)
{
	switch ((enum rv64_code)i->code) {
	case RV64_ANDN:
		return a & ~b;
	case RV64_ORN:
		return a | ~b;
	case RV64_XNOR:
		return ~(a ^ b);
	case RV64_MIN:
		return (int64_t)a < (int64_t)b ? a : b;
	case RV64_MINU:
		return a < b ? a : b;
	case RV64_MAX:
		return (int64_t)a > (int64_t)b ? a : b;
	case RV64_MAXU:
		return a > b ? a : b;
	case RV64_ROL:
		return rotate_right(a, -b & 63);
	case RV64_ROR:
		return rotate_right(a, b & 63);
	case RV64_RORI:
		return rotate_right(a, (unsigned int)i->immediate & 63);
	case RV64_REV8:
		return __builtin_bswap64(a);
	case RV64_ORC_B:
		return or_combine(a);
	case RV64_CLZ:
		return a ? (uint64_t)__builtin_clzll(a) : 64;
	case RV64_CTZ:
		return a ? (uint64_t)__builtin_ctzll(a) : 64;
	case RV64_CPOP:
		return (uint64_t)__builtin_popcountll(a);
	case RV64_SEXT_B:
		return (uint64_t)(int64_t)(int8_t)a;
	case RV64_SEXT_H:
		return (uint64_t)(int64_t)(int16_t)a;
	default: /* RV64_ZEXT_H */
		return (uint16_t)a;
	}
}

/* -- the loop ------------------------------------------------------------------------------ */

static struct rv64_instruction *fetch(struct rv64_machine *machine)
{
	uint64_t offset = machine->pc - machine->code_address;
	struct rv64_instruction *instruction;
	uint32_t bits = 0;

	if (offset >= machine->code_bytes || offset % 2)
		return NULL;
	instruction = &machine->decoded[offset / 2];
	if (instruction->code == RV64_UNDECODED) {
		size_t left = machine->code_bytes - offset;

		memcpy(&bits, machine->code + offset, left < 4 ? left : 4);
		*instruction = rv64_decode(bits);
	}
	return instruction;
}

enum rv64_end rv64_run(struct rv64_machine *machine, uint64_t instructions_max)
{
	uint64_t *x = machine->x;
	bool illegal;

	for (uint64_t run = 0; run < instructions_max; run++) {
		const struct rv64_instruction *i;
		uint64_t a, b, result = 0, next;
		bool taken = false, good = true;

		if (machine->pc == RV64_RETURN_ADDRESS)
			return RV64_RETURNED;
		i = fetch(machine);
		if (!i)
			return RV64_LOST;
		a = x[i->rs1];
		b = x[i->rs2];
		next = machine->pc + i->bytes;

		switch ((enum rv64_code)i->code) {
		case RV64_UNDECODED:
		case RV64_UNKNOWN:
			return RV64_ILLEGAL;
		case RV64_LUI:
			result = (uint64_t)(int64_t)i->immediate;
			break;
		case RV64_AUIPC:
			result = machine->pc + (uint64_t)(int64_t)i->immediate;
			break;
		case RV64_JAL:
			result = next;
			next = machine->pc + (uint64_t)(int64_t)i->immediate;
			break;
		case RV64_JALR:
			result = next;
			next = (a + (uint64_t)(int64_t)i->immediate) & ~UINT64_C(1);
			break;
		case RV64_BEQ:
			taken = a == b;
			break;
		case RV64_BNE:
			taken = a != b;
			break;
		case RV64_BLT:
			taken = (int64_t)a < (int64_t)b;
			break;
		case RV64_BGE:
			taken = (int64_t)a >= (int64_t)b;
			break;
		case RV64_BLTU:
			taken = a < b;
			break;
		case RV64_BGEU:
			taken = a >= b;
			break;
		case RV64_LB:
			good = load(machine, a + (uint64_t)(int64_t)i->immediate, 1, true, &result);
			break;
		case RV64_LH:
			good = load(machine, a + (uint64_t)(int64_t)i->immediate, 2, true, &result);
			break;
		case RV64_LW:
			good = load(machine, a + (uint64_t)(int64_t)i->immediate, 4, true, &result);
			break;
		case RV64_LD:
			good = load(machine, a + (uint64_t)(int64_t)i->immediate, 8, false,
				    &result);
			break;
		case RV64_LBU:
			good = load(machine, a + (uint64_t)(int64_t)i->immediate, 1, false,
				    &result);
			break;
		case RV64_LHU:
			good = load(machine, a + (uint64_t)(int64_t)i->immediate, 2, false,
				    &result);
			break;
		case RV64_LWU:
			good = load(machine, a + (uint64_t)(int64_t)i->immediate, 4, false,
				    &result);
			break;
		case RV64_SB:
			good = store(machine, a + (uint64_t)(int64_t)i->immediate, 1, b);
			break;
		case RV64_SH:
			good = store(machine, a + (uint64_t)(int64_t)i->immediate, 2, b);
			break;
		case RV64_SW:
			good = store(machine, a + (uint64_t)(int64_t)i->immediate, 4, b);
			break;
		case RV64_SD:
			good = store(machine, a + (uint64_t)(int64_t)i->immediate, 8, b);
			break;
		case RV64_ADDI:
			result = a + (uint64_t)(int64_t)i->immediate;
			break;
		case RV64_SLTI:
			result = (int64_t)a < i->immediate;
			break;
		case RV64_SLTIU:
			result = a < (uint64_t)(int64_t)i->immediate;
			break;
		case RV64_XORI:
			result = a ^ (uint64_t)(int64_t)i->immediate;
			break;
		case RV64_ORI:
			result = a | (uint64_t)(int64_t)i->immediate;
			break;
		case RV64_ANDI:
			result = a & (uint64_t)(int64_t)i->immediate;
			break;
		case RV64_SLLI:
			result = a << i->immediate;
			break;
		case RV64_SRLI:
			result = a >> i->immediate;
			break;
		case RV64_SRAI:
			result = (uint64_t)((int64_t)a >> i->immediate);
			break;
		case RV64_ADD:
			result = a + b;
			break;
		case RV64_SUB:
			result = a - b;
			break;
		case RV64_SLL:
			result = a << (b & 63);
			break;
		case RV64_SLT:
			result = (int64_t)a < (int64_t)b;
			break;
		case RV64_SLTU:
			result = a < b;
			break;
		case RV64_XOR:
			result = a ^ b;
			break;
		case RV64_SRL:
			result = a >> (b & 63);
			break;
		case RV64_SRA:
			result = (uint64_t)((int64_t)a >> (b & 63));
			break;
		case RV64_OR:
			result = a | b;
			break;
		case RV64_AND:
			result = a & b;
			break;
		case RV64_ADDIW:
			result = word(a + (uint64_t)(int64_t)i->immediate);
			break;
		case RV64_SLLIW:
			result = word(a << i->immediate);
			break;
		case RV64_SRLIW:
			result = word((uint32_t)a >> i->immediate);
			break;
		case RV64_SRAIW:
			result = word((uint64_t)((int32_t)a >> i->immediate));
			break;
		case RV64_ADDW:
			result = word(a + b);
			break;
		case RV64_SUBW:
			result = word(a - b);
			break;
		case RV64_SLLW:
			result = word(a << (b & 31));
			break;
		case RV64_SRLW:
			result = word((uint32_t)a >> (b & 31));
			break;
		case RV64_SRAW:
			result = word((uint64_t)((int32_t)a >> (b & 31)));
			break;
		case RV64_FENCE:
			break;
		case RV64_MUL ... RV64_REMUW:
			result = multiply((enum rv64_code)i->code, a, b);
			break;
		case RV64_ANDN ... RV64_ZEXT_H:
			result = manipulate(i, a, b);
			break;
		case RV64_CSRRW ... RV64_VMV_V_V:
			illegal = false;
			if (!rv64_vector(machine, i, &illegal))
				return illegal ? RV64_ILLEGAL : RV64_FAULTED;
			machine->counts.instructions++;
			machine->pc = next;
			continue; /* it has set its register itself */
		}
		if (!good)
			return RV64_FAULTED;
		if (taken)
			next = machine->pc + (uint64_t)(int64_t)i->immediate;
		if (i->rd)
			x[i->rd] = result;
		machine->counts.instructions++;
		machine->pc = next;
	}
	return machine->pc == RV64_RETURN_ADDRESS ? RV64_RETURNED : RV64_ENDLESS;
}
