/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A small RV64 interpreter: integer, multiplication, compressed, Zbb and the vector instructions
 * that copy routines use. It runs one routine in memory whose every byte is marked readable,
 * writable or neither, and counts what it does.
 *
 * Sources: The RISC-V Instruction Set Manual, volume I; the vector extension, version 1.0. All its
 * memory is little-endian, and so must the machine be that it runs on.
 */
#ifndef HARNESS_SIM_RV64_H
#define HARNESS_SIM_RV64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- memory -------------------------------------------------------------------------------- */

#define RV64_READ    1
#define RV64_WRITE   2
#define RV64_REGIONS 8

/** Bytes at an address, and beside each a set of RV64_READ and RV64_WRITE. Both are the caller's.
 */
struct rv64_region {
	uint64_t address;
	size_t bytes;
	unsigned char *data;
	unsigned char *allowed;
};

/* -- instructions -------------------------------------------------------------------------- */

enum rv64_code {
	RV64_UNDECODED, /* not looked at yet */
	RV64_UNKNOWN,	/* not an instruction that is known here */
	RV64_LUI,
	RV64_AUIPC,
	RV64_JAL,
	RV64_JALR,
	RV64_BEQ,
	RV64_BNE,
	RV64_BLT,
	RV64_BGE,
	RV64_BLTU,
	RV64_BGEU,
	RV64_LB,
	RV64_LH,
	RV64_LW,
	RV64_LD,
	RV64_LBU,
	RV64_LHU,
	RV64_LWU,
	RV64_SB,
	RV64_SH,
	RV64_SW,
	RV64_SD,
	RV64_ADDI,
	RV64_SLTI,
	RV64_SLTIU,
	RV64_XORI,
	RV64_ORI,
	RV64_ANDI,
	RV64_SLLI,
	RV64_SRLI,
	RV64_SRAI,
	RV64_ADD,
	RV64_SUB,
	RV64_SLL,
	RV64_SLT,
	RV64_SLTU,
	RV64_XOR,
	RV64_SRL,
	RV64_SRA,
	RV64_OR,
	RV64_AND,
	RV64_ADDIW,
	RV64_SLLIW,
	RV64_SRLIW,
	RV64_SRAIW,
	RV64_ADDW,
	RV64_SUBW,
	RV64_SLLW,
	RV64_SRLW,
	RV64_SRAW,
	RV64_FENCE,
	/* M */
	RV64_MUL,
	RV64_MULH,
	RV64_MULHSU,
	RV64_MULHU,
	RV64_DIV,
	RV64_DIVU,
	RV64_REM,
	RV64_REMU,
	RV64_MULW,
	RV64_DIVW,
	RV64_DIVUW,
	RV64_REMW,
	RV64_REMUW,
	/* Zbb, and the additions of Zba that compilers use with it */
	RV64_ANDN,
	RV64_ORN,
	RV64_XNOR,
	RV64_MIN,
	RV64_MINU,
	RV64_MAX,
	RV64_MAXU,
	RV64_ROL,
	RV64_ROR,
	RV64_RORI,
	RV64_REV8,
	RV64_ORC_B,
	RV64_CLZ,
	RV64_CTZ,
	RV64_CPOP,
	RV64_SEXT_B,
	RV64_SEXT_H,
	RV64_ZEXT_H,
	/* Zicsr, for vstart, vl, vtype and vlenb alone */
	RV64_CSRRW,
	RV64_CSRRS,
	RV64_CSRRC,
	RV64_CSRRWI,
	/* V */
	RV64_VSETVLI,
	RV64_VSETIVLI,
	RV64_VSETVL,
	RV64_VLE, /* by bytes of an element in size */
	RV64_VSE,
	RV64_VMV_V_X,
	RV64_VMV_V_I,
	RV64_VMV_V_V,
};

struct rv64_instruction {
	uint8_t code;  /* enum rv64_code */
	uint8_t bytes; /* 2 or 4 */
	uint8_t rd;
	uint8_t rs1;
	uint8_t rs2;
	uint8_t size; /* vector loads and stores: bytes of an element */
	int32_t immediate;
};

/** Decodes the instruction that begins with these bits; of a compressed one the upper half is
 * ignored. */
struct rv64_instruction rv64_decode(uint32_t bits);

/* -- the machine --------------------------------------------------------------------------- */

#define RV64_VLENB_MAX 64

/** What was asked of memory: for whoever wants to see each access. */
struct rv64_access {
	uint64_t address;
	unsigned int bytes;
	bool write;
	bool vector; /* elements of a vector access count as one access */
};

struct rv64_counts {
	uint64_t instructions;
	uint64_t loads;
	uint64_t stores;
	uint64_t misaligned; /* scalar accesses at an address that is no multiple of their size */
};

enum rv64_end {
	RV64_RETURNED, /* to the return address that it was called with */
	RV64_FAULTED,  /* at fault_address, which was not allowed */
	RV64_ILLEGAL,  /* an instruction that is not known here, or V without V */
	RV64_LOST,     /* jumped out of the code */
	RV64_ENDLESS,  /* more instructions than were allowed */
};

struct rv64_machine {
	uint64_t x[32];
	uint64_t pc;
	struct rv64_counts counts;

	/* vector state; vlenb 0: the machine has no V */
	unsigned int vlenb;
	uint64_t vl;
	uint64_t vtype;
	uint64_t vstart;
	unsigned char v[32 * RV64_VLENB_MAX];

	/* code: decoded instruction by instruction, one for each 2 bytes */
	uint64_t code_address;
	size_t code_bytes;
	const unsigned char *code;
	struct rv64_instruction *decoded; /* code_bytes / 2, all zero at first */

	struct rv64_region regions[RV64_REGIONS];
	unsigned int region_count;

	/* the last fault */
	uint64_t fault_address;
	bool fault_is_write;

	/* NULL, or called with every access that is allowed */
	void (*watch)(void *context, const struct rv64_access *access);
	void *watch_context;
};

/** Where a routine returns to. */
#define RV64_RETURN_ADDRESS UINT64_C(0x7ffffff0)

/** Runs from machine->pc until something ends it, or for so many instructions. */
enum rv64_end rv64_run(struct rv64_machine *machine, uint64_t instructions_max);

/*
 * Between the files of the interpreter.
 */

/** The bytes at an address, if all are allowed; else NULL, with the fault noted. */
unsigned char *rv64_reach(struct rv64_machine *machine, uint64_t address, size_t bytes, bool write);

/** A vector or CSR instruction. False: it faulted (fault_address) or is illegal (*illegal). */
bool rv64_vector(struct rv64_machine *machine, const struct rv64_instruction *instruction,
		 bool *illegal);

#endif
