/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The counter: a plugin of qemu-system-riscv64 that counts, exactly, instructions, loads, stores
 * and misaligned accesses: those of the kernel for each address of an instruction, so that the
 * harness can sum them by symbol, and those of user space for each process.
 *
 * Instructions are counted one by one and not by translation blocks, since a block may be left in
 * its middle by a fault. A process is an address space: satp, followed through the instructions
 * that write it; what the kernel does in between is on the account of the process that it was
 * called or interrupted in. Counting begins and ends by marks that a program makes (mark.h), or
 * from outside through a socket; then vCPUs that run meanwhile may be a few instructions further.
 *
 *   -plugin netbench-counter.so,out=FILE[,socket=PATH]
 *
 * Each end appends to FILE, one line each, all numbers decimal but addresses and satp:
 *   counts VERSION
 *   firmware|user|kernel NUMBERS     each total
 *   process SATP ID NUMBERS          user part; ID of its mark, 0: none
 *   kernel-of SATP ID NUMBERS        what the kernel did on its account
 *   at ADDRESS NUMBERS               one instruction of the kernel
 *   lost SLOTS                       instructions that had no slot any more, if there were any
 *   lost-turns NUMBER                of processes that had no account any more, if there were any
 *   end
 * NUMBERS: instructions loads stores misaligned of 2, 4, 8 and more bytes, page crossings.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/counter/instruction.h"
#include "harness/counter/mark.h"
#include "harness/counter/plugin_processes.h"
#include "harness/counter/plugin_slots.h"
#include "harness/counter/qemu-plugin-api.h"

#define VCPUS_MAX  8
#define REGISTERS  32
#define PAGE_BYTES 4096
#define FORMAT	   1

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_API_VERSION;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				      char **argv);

static const char *const space_names[SPACES] = { "firmware", "user", "kernel" };

/* Of each vCPU: its element of the scoreboard. */
struct board {
	uint64_t space[SPACES][NUMBERS];
	uint64_t slot[SLOTS][NUMBERS];
};

/*
 * What runs on a vCPU, and its board's totals when that began.
 *
 * A board is only ever added to, by its vCPU: adding is not atomic, so that a zero written
 * meanwhile from another thread may be lost. A count begins by keeping what is there.
 */
struct vcpu {
	struct board *board;
	struct board *at_begin;
	uint64_t satp;
	uint64_t before[SPACES][NUMBERS];
	struct qemu_plugin_register *registers[REGISTERS];
	GByteArray *buffer;
};

static struct qemu_plugin_scoreboard *boards;
static struct vcpu vcpus[VCPUS_MAX];
static size_t processes_lost; /* turns of processes that there was no room for */
static unsigned int vcpu_count = 1;
static const char *out_path;
/* Of the processes, the slots and the output. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * Kept, since a look into the scoreboard for each access would cost more than the rest of the
 * counting. By need and not when a vCPU begins: under -icount one may run before it is announced.
 */
static struct board *board_of(unsigned int vcpu)
{
	if (!vcpus[vcpu].board)
		vcpus[vcpu].board = qemu_plugin_scoreboard_find(boards, vcpu);
	return vcpus[vcpu].board;
}

/* -- processes ------------------------------------------------------------------------------ */

/* Puts what ran on a vCPU since the last time on the account of its process. */
static void settle(unsigned int index)
{
	struct vcpu *vcpu = &vcpus[index];
	const struct board *board = board_of(index);
	struct process *process = processes_find(vcpu->satp);

	processes_lost += !process;
	for (int i = 0; process && i < SPACES; i++)
		for (int j = 0; j < NUMBERS; j++)
			process->space[i][j] += board->space[i][j] - vcpu->before[i][j];
	memcpy(vcpu->before, board->space, sizeof(vcpu->before));
}

static uint64_t read_register(struct vcpu *vcpu, unsigned int number)
{
	uint64_t value = 0;

	if (!number || !vcpu->registers[number])
		return 0;
	g_byte_array_set_size(vcpu->buffer, 0);
	if (qemu_plugin_read_register(vcpu->registers[number], vcpu->buffer) >= 8)
		memcpy(&value, vcpu->buffer->data, sizeof(value));
	return value;
}

/* Before satp is written, from the register whose number is the data. */
static void on_satp(unsigned int index, void *data)
{
	uint64_t satp = read_register(&vcpus[index], (unsigned int)(uintptr_t)data);

	pthread_mutex_lock(&lock);
	settle(index);
	vcpus[index].satp = satp;
	pthread_mutex_unlock(&lock);
}

/* -- begin and end -------------------------------------------------------------------------- */

static void begin(void)
{
	for (unsigned int i = 0; i < vcpu_count; i++) {
		const struct board *board = board_of(i);
		struct vcpu *vcpu = &vcpus[i];

		memcpy(vcpu->at_begin->space, board->space, sizeof(board->space));
		memcpy(vcpu->at_begin->slot, board->slot, slots_used() * sizeof(board->slot[0]));
		memcpy(vcpu->before, vcpu->at_begin->space, sizeof(vcpu->before));
	}
	processes_begin();
	processes_lost = 0;
}

static void write_numbers(FILE *out, const uint64_t numbers[NUMBERS])
{
	for (int i = 0; i < NUMBERS; i++)
		fprintf(out, " %" PRIu64, numbers[i]);
	putc('\n', out);
}

/* Adds what has come since the begin. */
static void sum(uint64_t numbers[NUMBERS], const uint64_t now[NUMBERS],
		const uint64_t at_begin[NUMBERS])
{
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] += now[i] - at_begin[i];
}

static void write_processes(FILE *out)
{
	const struct process *process;

	for (size_t i = 0; (process = processes_at(i)); i++) {
		if (process->space[USER][INSTRUCTIONS] || process->id) {
			fprintf(out, "process %" PRIx64 " %u", process->satp, process->id);
			write_numbers(out, process->space[USER]);
		}
		if (process->space[KERNEL][INSTRUCTIONS]) {
			fprintf(out, "kernel-of %" PRIx64 " %u", process->satp, process->id);
			write_numbers(out, process->space[KERNEL]);
		}
	}
	if (processes_lost)
		fprintf(out, "lost-turns %zu\n", processes_lost);
}

static void write_slots(FILE *out)
{
	for (size_t i = 1; i < slots_used(); i++) {
		uint64_t numbers[NUMBERS] = { 0 };

		for (unsigned int j = 0; j < vcpu_count; j++)
			sum(numbers, board_of(j)->slot[i], vcpus[j].at_begin->slot[i]);
		if (!numbers[INSTRUCTIONS])
			continue;
		fprintf(out, "at %" PRIx64, slots_address(i));
		write_numbers(out, numbers);
	}
	if (slots_lost())
		fprintf(out, "lost %zu\n", slots_lost());
}

/* Returns 0 or an errno. */
static int end(bool totals_only)
{
	FILE *out = fopen(out_path, "ae");

	if (!out) {
		fprintf(stderr, "netbench-counter: %s: %s\n", out_path, strerror(errno));
		return errno;
	}
	for (unsigned int i = 0; i < vcpu_count; i++)
		settle(i);
	fprintf(out, "counts %d\n", FORMAT);
	for (int i = 0; i < SPACES; i++) {
		uint64_t numbers[NUMBERS] = { 0 };

		for (unsigned int j = 0; j < vcpu_count; j++)
			sum(numbers, board_of(j)->space[i], vcpus[j].at_begin->space[i]);
		fputs(space_names[i], out);
		write_numbers(out, numbers);
	}
	write_processes(out);
	if (!totals_only)
		write_slots(out);
	fputs("end\n", out);
	if (ferror(out) | fclose(out)) {
		fprintf(stderr, "netbench-counter: %s: %s\n", out_path, strerror(errno));
		return errno ? errno : EIO;
	}
	return 0;
}

static void on_mark(unsigned int index, void *data)
{
	unsigned int mark = (unsigned int)(uintptr_t)data;

	pthread_mutex_lock(&lock);
	if (mark == COUNTER_MARK_BEGIN)
		begin();
	else if (mark == COUNTER_MARK_END || mark == COUNTER_MARK_TOTALS)
		end(mark == COUNTER_MARK_TOTALS);
	else
		processes_lost +=
			processes_mark(vcpus[index].satp, mark - COUNTER_MARK_PROCESS) != 0;
	pthread_mutex_unlock(&lock);
}

/* -- counting ------------------------------------------------------------------------------- */

/* The firmware runs where memory begins, at addresses that no user program of ours has. */
static enum space space_of(uint64_t address)
{
	if (address >> 63)
		return KERNEL;
	return address >= 0x80000000 && address < 0x80200000 ? FIRMWARE : USER;
}

static void count_access(uint64_t numbers[NUMBERS], unsigned int shift, bool store,
			 uint64_t address)
{
	uint64_t bytes = UINT64_C(1) << shift;

	numbers[store ? STORES : LOADS]++;
	if (!(address & (bytes - 1)))
		return;
	numbers[shift > 3 ? MISALIGNED_MORE : MISALIGNED_2 + shift - 1]++;
	if (address % PAGE_BYTES + bytes > PAGE_BYTES)
		numbers[CROSSINGS]++;
}

/* The data is the slot; slot 0 is user space, 1 the firmware. */
static void on_access(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	struct board *board = board_of(vcpu);
	size_t slot = (size_t)(uintptr_t)data;
	unsigned int shift = qemu_plugin_mem_size_shift(info);
	bool store = qemu_plugin_mem_is_store(info);

	if (slot < SLOT_FIRST) {
		count_access(board->space[slot == SLOT_USER ? USER : FIRMWARE], shift, store,
			     address);
		return;
	}
	count_access(board->space[KERNEL], shift, store, address);
	count_access(board->slot[slot], shift, store, address);
}

static void add_one(struct qemu_plugin_insn *insn, size_t offset)
{
	const qemu_plugin_u64 entry = { boards, offset };

	qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(insn, QEMU_PLUGIN_INLINE_ADD_U64, entry,
							    1);
}

static void watch(struct qemu_plugin_insn *insn, uint32_t word)
{
	unsigned int number;

	if (instruction_is_mark(word, &number))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark, QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(uintptr_t)number);
	else if (instruction_writes_satp(word, &number))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_satp, QEMU_PLUGIN_CB_R_REGS,
						       (void *)(uintptr_t)number);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);
		enum space space = space_of(address);
		size_t slot = space == USER ? SLOT_USER : SLOT_FIRMWARE;
		uint32_t word = 0;

		qemu_plugin_insn_data(insn, &word, sizeof(word));
		/* First, so that what a mark begins has the mark in it, and what it ends has not.
		 */
		watch(insn, word);
		if (space == KERNEL) {
			pthread_mutex_lock(&lock);
			slot = slots_find(address);
			pthread_mutex_unlock(&lock);
			add_one(insn, offsetof(struct board, slot) +
					      slot * sizeof(((struct board *)NULL)->slot[0]));
		}
		add_one(insn, offsetof(struct board, space) +
				      space * sizeof(((struct board *)NULL)->space[0]));
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)slot);
	}
}

/* -- the socket, and setting up ------------------------------------------------------------- */

static void on_vcpu(qemu_plugin_id_t id, unsigned int index)
{
	static const char *const names[REGISTERS] = { "zero", "ra", "sp", "gp", "tp", "t0",  "t1",
						      "t2",   "fp", "s1", "a0", "a1", "a2",  "a3",
						      "a4",   "a5", "a6", "a7", "s2", "s3",  "s4",
						      "s5",   "s6", "s7", "s8", "s9", "s10", "s11",
						      "t3",   "t4", "t5", "t6" };
	GArray *registers;

	(void)id;
	if (index >= VCPUS_MAX)
		return;
	/* The scoreboard may have moved as it grew. */
	for (unsigned int i = 0; i < VCPUS_MAX; i++)
		vcpus[i].board = NULL;
	registers = qemu_plugin_get_registers();
	vcpus[index].buffer = g_byte_array_new();
	for (unsigned int i = 0; i < registers->len; i++) {
		const qemu_plugin_reg_descriptor *each =
			&((const qemu_plugin_reg_descriptor *)(void *)registers->data)[i];

		for (int j = 0; j < REGISTERS; j++)
			if (!strcmp(each->name, names[j]))
				vcpus[index].registers[j] = each->handle;
	}
	g_array_free(registers, 1);
}

static void answer(int connection)
{
	char command[16];
	ssize_t length;

	while ((length = read(connection, command, sizeof(command) - 1)) > 0) {
		int error = EINVAL;
		char text[16];

		command[length] = '\0';
		command[strcspn(command, "\n")] = '\0';
		pthread_mutex_lock(&lock);
		if (!strcmp(command, "begin")) {
			begin();
			error = 0;
		} else if (!strcmp(command, "end")) {
			error = end(false);
		}
		pthread_mutex_unlock(&lock);
		snprintf(text, sizeof(text), "%d\n", error);
		if (write(connection, text, strlen(text)) < 0)
			break;
	}
	close(connection);
}

static void *serve(void *data)
{
	int listener = (int)(intptr_t)data, connection;

	while ((connection = accept(listener, NULL, NULL)) >= 0 || errno == EINTR)
		if (connection >= 0)
			answer(connection);
	return NULL;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pthread_t thread;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	unlink(path);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
	    listen(listener, 1))
		return -1;
	errno = pthread_create(&thread, NULL, serve, (void *)(intptr_t)listener);
	return errno ? -1 : 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *socket_path = NULL;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			out_path = strdup(argv[i] + 4);
		else if (!strncmp(argv[i], "socket=", 7))
			socket_path = argv[i] + 7;
		else
			out_path = NULL;
	}
	if (!out_path || !info->system_emulation || strcmp(info->target_name, "riscv64") != 0 ||
	    info->system.max_vcpus > VCPUS_MAX) {
		fputs("netbench-counter: wanted: qemu-system-riscv64 with at most 8 CPUs, and "
		      "out=FILE[,socket=PATH]\n",
		      stderr);
		return -1;
	}
	vcpu_count = (unsigned int)info->system.smp_vcpus;
	boards = qemu_plugin_scoreboard_new(sizeof(struct board));
	for (unsigned int i = 0; i < vcpu_count; i++) {
		vcpus[i].at_begin = calloc(1, sizeof(*vcpus[i].at_begin));
		if (!vcpus[i].at_begin)
			return -1;
	}
	if (socket_path && listen_at(socket_path)) {
		fprintf(stderr, "netbench-counter: %s: %s\n", socket_path, strerror(errno));
		return -1;
	}
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
