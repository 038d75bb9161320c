/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Instructions from bits. Compressed ones become what they stand for; a table for each format of
 * the others.
 */
#include "harness/sim/rv64.h"

/* Bits [low, low + count) as they are, and sign-extended. */
static uint32_t field(uint32_t bits, unsigned int low, unsigned int count)
{
	return bits >> low & ((1u << count) - 1);
}

static int32_t extend(uint32_t value, unsigned int count)
{
	return (int32_t)(value << (32 - count)) >> (32 - count);
}

/* -- compressed ---------------------------------------------------------------------------- */

static struct rv64_instruction make(enum rv64_code code, unsigned int rd, unsigned int rs1,
				    unsigned int rs2, int32_t immediate)
{
	return (struct rv64_instruction){
		.code = (uint8_t)code,
		.rd = (uint8_t)rd,
		.rs1 = (uint8_t)rs1,
		.rs2 = (uint8_t)rs2,
		.immediate = immediate,
	};
}

static int32_t compressed_jump(uint32_t c)
{
	return extend(field(c, 12, 1) << 11 | field(c, 11, 1) << 4 | field(c, 9, 2) << 8 |
			      field(c, 8, 1) << 10 | field(c, 7, 1) << 6 | field(c, 6, 1) << 7 |
			      field(c, 3, 3) << 1 | field(c, 2, 1) << 5,
		      12);
}

static int32_t compressed_branch(uint32_t c)
{
	return extend(field(c, 12, 1) << 8 | field(c, 10, 2) << 3 | field(c, 5, 2) << 6 |
			      field(c, 3, 2) << 1 | field(c, 2, 1) << 5,
		      9);
}

static struct rv64_instruction quadrant_0(uint32_t c)
{
	unsigned int near = 8 + field(c, 2, 3), base = 8 + field(c, 7, 3);
	int32_t word = (int32_t)(field(c, 10, 3) << 3 | field(c, 6, 1) << 2 | field(c, 5, 1) << 6);
	int32_t doubleword = (int32_t)(field(c, 10, 3) << 3 | field(c, 5, 2) << 6);

	switch (field(c, 13, 3)) {
	case 0: {
		uint32_t offset = field(c, 11, 2) << 4 | field(c, 7, 4) << 6 | field(c, 6, 1) << 2 |
				  field(c, 5, 1) << 3;

		return offset ? make(RV64_ADDI, near, 2, 0, (int32_t)offset)
			      : make(RV64_UNKNOWN, 0, 0, 0, 0);
	}
	case 2:
		return make(RV64_LW, near, base, 0, word);
	case 3:
		return make(RV64_LD, near, base, 0, doubleword);
	case 6:
		return make(RV64_SW, 0, base, near, word);
	case 7:
		return make(RV64_SD, 0, base, near, doubleword);
	default:
		return make(RV64_UNKNOWN, 0, 0, 0, 0);
	}
}

static struct rv64_instruction compressed_arithmetic(uint32_t c)
{
	static const enum rv64_code pairs[2][4] = {
		{ RV64_SUB, RV64_XOR, RV64_OR, RV64_AND },
		{ RV64_SUBW, RV64_ADDW, RV64_UNKNOWN, RV64_UNKNOWN },
	};
	unsigned int rd = 8 + field(c, 7, 3);
	uint32_t shift = field(c, 12, 1) << 5 | field(c, 2, 5);

	switch (field(c, 10, 2)) {
	case 0:
		return make(RV64_SRLI, rd, rd, 0, (int32_t)shift);
	case 1:
		return make(RV64_SRAI, rd, rd, 0, (int32_t)shift);
	case 2:
		return make(RV64_ANDI, rd, rd, 0, extend(shift, 6));
	default:
		return make(pairs[field(c, 12, 1)][field(c, 5, 2)], rd, rd, 8 + field(c, 2, 3), 0);
	}
}

static struct rv64_instruction quadrant_1(uint32_t c)
{
	unsigned int rd = field(c, 7, 5);
	int32_t immediate = extend(field(c, 12, 1) << 5 | field(c, 2, 5), 6);

	switch (field(c, 13, 3)) {
	case 0:
		return make(RV64_ADDI, rd, rd, 0, immediate);
	case 1:
		return rd ? make(RV64_ADDIW, rd, rd, 0, immediate) : make(RV64_UNKNOWN, 0, 0, 0, 0);
	case 2:
		return make(RV64_ADDI, rd, 0, 0, immediate);
	case 3:
		if (rd == 2)
			return make(RV64_ADDI, 2, 2, 0,
				    extend(field(c, 12, 1) << 9 | field(c, 6, 1) << 4 |
						   field(c, 5, 1) << 6 | field(c, 3, 2) << 7 |
						   field(c, 2, 1) << 5,
					   10));
		return make(RV64_LUI, rd, 0, 0, immediate * 4096);
	case 4:
		return compressed_arithmetic(c);
	case 5:
		return make(RV64_JAL, 0, 0, 0, compressed_jump(c));
	case 6:
		return make(RV64_BEQ, 0, 8 + field(c, 7, 3), 0, compressed_branch(c));
	default:
		return make(RV64_BNE, 0, 8 + field(c, 7, 3), 0, compressed_branch(c));
	}
}

static struct rv64_instruction quadrant_2(uint32_t c)
{
	unsigned int rd = field(c, 7, 5), rs2 = field(c, 2, 5);

	switch (field(c, 13, 3)) {
	case 0:
		return make(RV64_SLLI, rd, rd, 0, (int32_t)(field(c, 12, 1) << 5 | rs2));
	case 2:
		return make(RV64_LW, rd, 2, 0,
			    (int32_t)(field(c, 12, 1) << 5 | field(c, 4, 3) << 2 |
				      field(c, 2, 2) << 6));
	case 3:
		return make(RV64_LD, rd, 2, 0,
			    (int32_t)(field(c, 12, 1) << 5 | field(c, 5, 2) << 3 |
				      field(c, 2, 3) << 6));
	case 4:
		if (field(c, 12, 1) == 0)
			return rs2 ? make(RV64_ADD, rd, 0, rs2, 0) : make(RV64_JALR, 0, rd, 0, 0);
		if (rs2)
			return make(RV64_ADD, rd, rd, rs2, 0);
		return rd ? make(RV64_JALR, 1, rd, 0, 0) : make(RV64_UNKNOWN, 0, 0, 0, 0);
	case 6:
		return make(RV64_SW, 0, 2, rs2,
			    (int32_t)(field(c, 9, 4) << 2 | field(c, 7, 2) << 6));
	case 7:
		return make(RV64_SD, 0, 2, rs2,
			    (int32_t)(field(c, 10, 3) << 3 | field(c, 7, 3) << 6));
	default:
		return make(RV64_UNKNOWN, 0, 0, 0, 0);
	}
}

/* -- 32 bits ------------------------------------------------------------------------------- */

static int32_t store_immediate(uint32_t bits)
{
	return extend(field(bits, 25, 7) << 5 | field(bits, 7, 5), 12);
}

static int32_t branch_immediate(uint32_t bits)
{
	return extend(field(bits, 31, 1) << 12 | field(bits, 7, 1) << 11 | field(bits, 25, 6) << 5 |
			      field(bits, 8, 4) << 1,
		      13);
}

static int32_t jump_immediate(uint32_t bits)
{
	return extend(field(bits, 31, 1) << 20 | field(bits, 12, 8) << 12 |
			      field(bits, 20, 1) << 11 | field(bits, 21, 10) << 1,
		      21);
}

/* Register with register: the upper seven bits and funct3 pick it. */
struct pair {
	uint8_t upper, funct3, code;
};

static enum rv64_code find_pair(const struct pair *pairs, size_t count, uint32_t bits)
{
	for (size_t i = 0; i < count; i++)
		if (pairs[i].upper == field(bits, 25, 7) && pairs[i].funct3 == field(bits, 12, 3))
			return pairs[i].code;
	return RV64_UNKNOWN;
}

static enum rv64_code operation(uint32_t bits)
{
	static const struct pair pairs[] = {
		{ 0x00, 0, RV64_ADD },	  { 0x20, 0, RV64_SUB },   { 0x00, 1, RV64_SLL },
		{ 0x00, 2, RV64_SLT },	  { 0x00, 3, RV64_SLTU },  { 0x00, 4, RV64_XOR },
		{ 0x00, 5, RV64_SRL },	  { 0x20, 5, RV64_SRA },   { 0x00, 6, RV64_OR },
		{ 0x00, 7, RV64_AND },	  { 0x01, 0, RV64_MUL },   { 0x01, 1, RV64_MULH },
		{ 0x01, 2, RV64_MULHSU }, { 0x01, 3, RV64_MULHU }, { 0x01, 4, RV64_DIV },
		{ 0x01, 5, RV64_DIVU },	  { 0x01, 6, RV64_REM },   { 0x01, 7, RV64_REMU },
		{ 0x20, 7, RV64_ANDN },	  { 0x20, 6, RV64_ORN },   { 0x20, 4, RV64_XNOR },
		{ 0x05, 4, RV64_MIN },	  { 0x05, 5, RV64_MINU },  { 0x05, 6, RV64_MAX },
		{ 0x05, 7, RV64_MAXU },	  { 0x30, 1, RV64_ROL },   { 0x30, 5, RV64_ROR },
	};

	return find_pair(pairs, sizeof(pairs) / sizeof(pairs[0]), bits);
}

static enum rv64_code operation_32(uint32_t bits)
{
	static const struct pair pairs[] = {
		{ 0x00, 0, RV64_ADDW },	 { 0x20, 0, RV64_SUBW },  { 0x00, 1, RV64_SLLW },
		{ 0x00, 5, RV64_SRLW },	 { 0x20, 5, RV64_SRAW },  { 0x01, 0, RV64_MULW },
		{ 0x01, 4, RV64_DIVW },	 { 0x01, 5, RV64_DIVUW }, { 0x01, 6, RV64_REMW },
		{ 0x01, 7, RV64_REMUW },
	};

	if (field(bits, 25, 7) == 0x04 && field(bits, 12, 3) == 4 && field(bits, 20, 5) == 0)
		return RV64_ZEXT_H;
	return find_pair(pairs, sizeof(pairs) / sizeof(pairs[0]), bits);
}

/* Zbb's of one operand: the whole upper twelve bits and funct3 pick it. */
static enum rv64_code unary(uint32_t bits)
{
	static const struct {
		uint16_t upper;
		uint8_t funct3, code;
	} all[] = {
		{ 0x600, 1, RV64_CLZ },	   { 0x601, 1, RV64_CTZ },    { 0x602, 1, RV64_CPOP },
		{ 0x604, 1, RV64_SEXT_B }, { 0x605, 1, RV64_SEXT_H }, { 0x6b8, 5, RV64_REV8 },
		{ 0x287, 5, RV64_ORC_B },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].upper == field(bits, 20, 12) && all[i].funct3 == field(bits, 12, 3))
			return all[i].code;
	return RV64_UNKNOWN;
}

static struct rv64_instruction immediate_operation(uint32_t bits, unsigned int rd, unsigned int rs1)
{
	static const enum rv64_code codes[] = { RV64_ADDI, RV64_SLLI, RV64_SLTI, RV64_SLTIU,
						RV64_XORI, RV64_SRLI, RV64_ORI,	 RV64_ANDI };
	unsigned int funct3 = field(bits, 12, 3), upper = field(bits, 26, 6);
	enum rv64_code code = codes[funct3];
	int32_t shift = (int32_t)field(bits, 20, 6);

	if (funct3 != 1 && funct3 != 5)
		return make(code, rd, rs1, 0, extend(field(bits, 20, 12), 12));
	if (unary(bits) != RV64_UNKNOWN)
		return make(unary(bits), rd, rs1, 0, 0);
	if (funct3 == 5 && upper == 0x10)
		code = RV64_SRAI;
	else if (funct3 == 5 && upper == 0x18)
		code = RV64_RORI;
	else if (upper != 0)
		code = RV64_UNKNOWN;
	return make(code, rd, rs1, 0, shift);
}

static struct rv64_instruction immediate_operation_32(uint32_t bits, unsigned int rd,
						      unsigned int rs1)
{
	int32_t shift = (int32_t)field(bits, 20, 5);

	switch (field(bits, 12, 3)) {
	case 0:
		return make(RV64_ADDIW, rd, rs1, 0, extend(field(bits, 20, 12), 12));
	case 1:
		return make(field(bits, 25, 7) == 0 ? RV64_SLLIW : RV64_UNKNOWN, rd, rs1, 0, shift);
	case 5:
		if (field(bits, 25, 7) == 0x20)
			return make(RV64_SRAIW, rd, rs1, 0, shift);
		return make(field(bits, 25, 7) == 0 ? RV64_SRLIW : RV64_UNKNOWN, rd, rs1, 0, shift);
	default:
		return make(RV64_UNKNOWN, 0, 0, 0, 0);
	}
}

/* -- vector -------------------------------------------------------------------------------- */

/* Unit-stride, unmasked, no segments. */
static struct rv64_instruction vector_memory(uint32_t bits, enum rv64_code code)
{
	static const uint8_t sizes[8] = { 1, 0, 0, 0, 0, 2, 4, 8 };
	struct rv64_instruction instruction =
		make(code, field(bits, 7, 5), field(bits, 15, 5), 0, 0);

	instruction.size = sizes[field(bits, 12, 3)];
	if (!instruction.size || field(bits, 20, 12) != 0x020)
		instruction.code = RV64_UNKNOWN;
	return instruction;
}

static struct rv64_instruction vector_operation(uint32_t bits, unsigned int rd, unsigned int rs1)
{
	unsigned int rs2 = field(bits, 20, 5);
	bool is_move = field(bits, 25, 7) == 0x2f && rs2 == 0;

	switch (field(bits, 12, 3)) {
	case 0:
		return make(is_move ? RV64_VMV_V_V : RV64_UNKNOWN, rd, rs1, 0, 0);
	case 3:
		return make(is_move ? RV64_VMV_V_I : RV64_UNKNOWN, rd, 0, 0, extend(rs1, 5));
	case 4:
		return make(is_move ? RV64_VMV_V_X : RV64_UNKNOWN, rd, rs1, 0, 0);
	case 7:
		if (field(bits, 31, 1) == 0)
			return make(RV64_VSETVLI, rd, rs1, 0, (int32_t)field(bits, 20, 11));
		if (field(bits, 30, 2) == 3)
			return make(RV64_VSETIVLI, rd, rs1, 0, (int32_t)field(bits, 20, 10));
		if (field(bits, 25, 7) == 0x40)
			return make(RV64_VSETVL, rd, rs1, rs2, 0);
		return make(RV64_UNKNOWN, 0, 0, 0, 0);
	default:
		return make(RV64_UNKNOWN, 0, 0, 0, 0);
	}
}

static struct rv64_instruction system_operation(uint32_t bits, unsigned int rd, unsigned int rs1)
{
	static const enum rv64_code codes[] = { RV64_UNKNOWN, RV64_CSRRW,   RV64_CSRRS,
						RV64_CSRRC,   RV64_UNKNOWN, RV64_CSRRWI,
						RV64_UNKNOWN, RV64_UNKNOWN };

	return make(codes[field(bits, 12, 3)], rd, rs1, 0, (int32_t)field(bits, 20, 12));
}

static struct rv64_instruction whole(uint32_t bits)
{
	static const enum rv64_code loads[] = { RV64_LB,  RV64_LH,  RV64_LW,  RV64_LD,
						RV64_LBU, RV64_LHU, RV64_LWU, RV64_UNKNOWN };
	static const enum rv64_code stores[] = { RV64_SB,      RV64_SH,	     RV64_SW,
						 RV64_SD,      RV64_UNKNOWN, RV64_UNKNOWN,
						 RV64_UNKNOWN, RV64_UNKNOWN };
	static const enum rv64_code branches[] = { RV64_BEQ, RV64_BNE, RV64_UNKNOWN, RV64_UNKNOWN,
						   RV64_BLT, RV64_BGE, RV64_BLTU,    RV64_BGEU };
	unsigned int rd = field(bits, 7, 5), rs1 = field(bits, 15, 5), rs2 = field(bits, 20, 5);
	unsigned int funct3 = field(bits, 12, 3);
	int32_t immediate = extend(field(bits, 20, 12), 12);

	switch (field(bits, 0, 7)) {
	case 0x37:
		return make(RV64_LUI, rd, 0, 0, (int32_t)(bits & 0xfffff000));
	case 0x17:
		return make(RV64_AUIPC, rd, 0, 0, (int32_t)(bits & 0xfffff000));
	case 0x6f:
		return make(RV64_JAL, rd, 0, 0, jump_immediate(bits));
	case 0x67:
		return make(funct3 == 0 ? RV64_JALR : RV64_UNKNOWN, rd, rs1, 0, immediate);
	case 0x63:
		return make(branches[funct3], 0, rs1, rs2, branch_immediate(bits));
	case 0x03:
		return make(loads[funct3], rd, rs1, 0, immediate);
	case 0x23:
		return make(stores[funct3], 0, rs1, rs2, store_immediate(bits));
	case 0x13:
		return immediate_operation(bits, rd, rs1);
	case 0x1b:
		return immediate_operation_32(bits, rd, rs1);
	case 0x33:
		return make(operation(bits), rd, rs1, rs2, 0);
	case 0x3b:
		return make(operation_32(bits), rd, rs1, rs2, 0);
	case 0x0f:
		return make(RV64_FENCE, 0, 0, 0, 0);
	case 0x07:
		return vector_memory(bits, RV64_VLE);
	case 0x27:
		return vector_memory(bits, RV64_VSE);
	case 0x57:
		return vector_operation(bits, rd, rs1);
	case 0x73:
		return system_operation(bits, rd, rs1);
	default:
		return make(RV64_UNKNOWN, 0, 0, 0, 0);
	}
}

struct rv64_instruction rv64_decode(uint32_t bits)
{
	struct rv64_instruction instruction;

	switch (bits & 3) {
	case 0:
		instruction = quadrant_0(bits & 0xffff);
		break;
	case 1:
		instruction = quadrant_1(bits & 0xffff);
		break;
	case 2:
		instruction = quadrant_2(bits & 0xffff);
		break;
	default:
		instruction = whole(bits);
		instruction.bytes = 4;
		return instruction;
	}
	instruction.bytes = 2;
	return instruction;
}
