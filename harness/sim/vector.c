/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The vector instructions that copy routines use: configuration, unit-stride loads and stores,
 * moves that fill. A load or store that faults at an element has done those before it, and vstart
 * names the element, as on a machine with precise traps.
 *
 * Source: RISC-V "V" Vector Extension, version 1.0.
 */
#include <string.h>

#include "harness/sim/rv64.h"

#define VTYPE_ILLEGAL (UINT64_C(1) << 63)
#define CSR_VSTART    0x008
#define CSR_VL	      0xc20
#define CSR_VTYPE     0xc21
#define CSR_VLENB     0xc22

static unsigned int element_bytes(uint64_t vtype)
{
	return 1u << (vtype >> 3 & 7);
}

/* Elements of a register group; 0: no such combination. */
static uint64_t elements_max(const struct rv64_machine *machine, uint64_t vtype)
{
	unsigned int group = vtype & 7;
	unsigned int element = element_bytes(vtype);

	if (element > 8 || vtype >> 8 || group == 4)
		return 0;
	if (group < 4)
		return (uint64_t)machine->vlenb * (1u << group) / element;
	return (uint64_t)machine->vlenb / (1u << (8 - group)) / element;
}

static void configure(struct rv64_machine *machine, uint64_t vtype, uint64_t wanted)
{
	uint64_t most = elements_max(machine, vtype);

	machine->vstart = 0;
	if (most == 0) {
		machine->vtype = VTYPE_ILLEGAL;
		machine->vl = 0;
		return;
	}
	machine->vtype = vtype;
	machine->vl = wanted < most ? wanted : most;
}

static uint64_t wanted_elements(const struct rv64_machine *machine,
				const struct rv64_instruction *i)
{
	if (i->code == RV64_VSETIVLI)
		return i->rs1;
	if (i->rs1)
		return machine->x[i->rs1];
	return i->rd ? UINT64_MAX : machine->vl;
}

static void set_register(struct rv64_machine *machine, unsigned int number, uint64_t value)
{
	if (number)
		machine->x[number] = value;
}

static bool move_memory(struct rv64_machine *machine, const struct rv64_instruction *i)
{
	bool write = i->code == RV64_VSE;
	uint64_t address = machine->x[i->rs1];
	unsigned char *registers = machine->v + (size_t)i->rd * machine->vlenb;

	for (uint64_t n = machine->vstart; n < machine->vl; n++) {
		unsigned char *at = rv64_reach(machine, address + n * i->size, i->size, write);

		if (!at) {
			machine->vstart = n;
			return false;
		}
		if (write)
			memcpy(at, registers + n * i->size, i->size);
		else
			memcpy(registers + n * i->size, at, i->size);
	}
	if (machine->vl > 0) {
		if (write)
			machine->counts.stores++;
		else
			machine->counts.loads++;
		if (machine->watch)
			machine->watch(machine->watch_context,
				       &(struct rv64_access){ address,
							      (unsigned int)machine->vl * i->size,
							      write, true });
	}
	machine->vstart = 0;
	return true;
}

static void fill(struct rv64_machine *machine, const struct rv64_instruction *i)
{
	unsigned int size = element_bytes(machine->vtype);
	unsigned char *registers = machine->v + (size_t)i->rd * machine->vlenb;
	const unsigned char *from = machine->v + (size_t)i->rs1 * machine->vlenb;
	uint64_t value =
		i->code == RV64_VMV_V_X ? machine->x[i->rs1] : (uint64_t)(int64_t)i->immediate;

	for (uint64_t n = machine->vstart; n < machine->vl; n++) {
		if (i->code == RV64_VMV_V_V)
			memmove(registers + n * size, from + n * size, size);
		else
			memcpy(registers + n * size, &value, size);
	}
	machine->vstart = 0;
}

static uint64_t *csr(struct rv64_machine *machine, int32_t number, bool write, uint64_t *copy)
{
	switch (number) {
	case CSR_VSTART:
		return &machine->vstart;
	case CSR_VL:
		*copy = machine->vl;
		break;
	case CSR_VTYPE:
		*copy = machine->vtype;
		break;
	case CSR_VLENB:
		*copy = machine->vlenb;
		break;
	default:
		return NULL;
	}
	return write ? NULL : copy; /* these can only be read */
}

static bool control(struct rv64_machine *machine, const struct rv64_instruction *i)
{
	bool writes = i->code == RV64_CSRRW || i->code == RV64_CSRRWI || i->rs1;
	uint64_t operand = i->code == RV64_CSRRWI ? i->rs1 : machine->x[i->rs1];
	uint64_t copy, old;
	uint64_t *value = csr(machine, i->immediate, writes, &copy);

	if (!value)
		return false;
	old = *value;
	if (i->code == RV64_CSRRS)
		*value |= operand;
	else if (i->code == RV64_CSRRC)
		*value &= ~operand;
	else
		*value = operand;
	set_register(machine, i->rd, old);
	return true;
}

/* Registers of the widest group from here on are all inside the file. */
static bool group_fits(const struct rv64_machine *machine, const struct rv64_instruction *i)
{
	unsigned int size = i->size ? i->size : element_bytes(machine->vtype);

	return machine->vtype != VTYPE_ILLEGAL &&
	       i->rd * (uint64_t)machine->vlenb + machine->vl * size <= 32u * machine->vlenb &&
	       (i->size == 0 || size == element_bytes(machine->vtype) || machine->vl == 0);
}

bool rv64_vector(struct rv64_machine *machine, const struct rv64_instruction *i, bool *illegal)
{
	*illegal = machine->vlenb == 0;
	if (*illegal)
		return false;
	switch ((enum rv64_code)i->code) {
	case RV64_VSETVLI:
	case RV64_VSETIVLI:
		configure(machine, (uint64_t)i->immediate, wanted_elements(machine, i));
		set_register(machine, i->rd, machine->vl);
		return true;
	case RV64_VSETVL:
		configure(machine, machine->x[i->rs2], wanted_elements(machine, i));
		set_register(machine, i->rd, machine->vl);
		return true;
	case RV64_VLE:
	case RV64_VSE:
		*illegal = !group_fits(machine, i);
		return !*illegal && move_memory(machine, i);
	case RV64_VMV_V_X:
	case RV64_VMV_V_I:
	case RV64_VMV_V_V:
		*illegal = !group_fits(machine, i);
		if (!*illegal)
			fill(machine, i);
		return !*illegal;
	default:
		*illegal = !control(machine, i);
		return !*illegal;
	}
}
