/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counts: the counter's lines taken apart, and summed by the symbols of a kernel. */
#define _GNU_SOURCE /* getline() */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "harness/counter/mark.h"
#include "harness/measure/counts.h"

#define VERSION 1
#define NUMBERS 8

uint64_t count_misaligned(const struct count_numbers *numbers)
{
	return numbers->misaligned_2 + numbers->misaligned_4 + numbers->misaligned_8 +
	       numbers->misaligned_more;
}

static void add(struct count_numbers *sum, const struct count_numbers *more)
{
	sum->instructions += more->instructions;
	sum->loads += more->loads;
	sum->stores += more->stores;
	sum->misaligned_2 += more->misaligned_2;
	sum->misaligned_4 += more->misaligned_4;
	sum->misaligned_8 += more->misaligned_8;
	sum->misaligned_more += more->misaligned_more;
	sum->crossings += more->crossings;
}

static bool read_numbers(const char *text, struct count_numbers *numbers)
{
	int end = 0;

	return sscanf(text,
		      "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
		      " %" SCNu64 " %" SCNu64 "%n",
		      &numbers->instructions, &numbers->loads, &numbers->stores,
		      &numbers->misaligned_2, &numbers->misaligned_4, &numbers->misaligned_8,
		      &numbers->misaligned_more, &numbers->crossings, &end) == NUMBERS &&
	       (text[end] == '\n' || !text[end]);
}

void counts_free(struct counts *counts)
{
	free(counts->addresses);
	memset(counts, 0, sizeof(*counts));
}

static bool add_address(struct counts *counts, uint64_t address,
			const struct count_numbers *numbers)
{
	/* Room for powers of two. */
	if (!(counts->address_count & (counts->address_count - 1))) {
		size_t room = counts->address_count ? 2 * counts->address_count : 1;
		void *more = realloc(counts->addresses, room * sizeof(*counts->addresses));

		if (!more)
			return false;
		counts->addresses = more;
	}
	counts->addresses[counts->address_count++] = (struct counted_address){ address, *numbers };
	return true;
}

/* "process SATP ID NUMBERS": those of the server alone are of interest. */
static bool read_process(const char *text, struct count_numbers *server)
{
	struct count_numbers numbers;
	unsigned int id;
	int used = 0;

	if (sscanf(text, "%*x %u %n", &id, &used) != 1 || !used ||
	    !read_numbers(text + used, &numbers))
		return false;
	if (id == COUNTER_PROCESS_SERVER)
		add(server, &numbers);
	return true;
}

static bool read_address(const char *text, struct counts *counts)
{
	struct count_numbers numbers;
	uint64_t address;
	int used = 0;

	return sscanf(text, "%" SCNx64 " %n", &address, &used) == 1 && used &&
	       read_numbers(text + used, &numbers) && add_address(counts, address, &numbers);
}

static bool read_line(const char *line, struct counts *counts)
{
	size_t length = strcspn(line, " \n");
	const char *rest = line + length + (line[length] == ' ');
	const struct {
		const char *word;
		struct count_numbers *numbers;
	} totals[] = { { "firmware", &counts->firmware },
		       { "user", &counts->user },
		       { "kernel", &counts->kernel } };

	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++)
		if (strlen(totals[i].word) == length && !strncmp(line, totals[i].word, length))
			return read_numbers(rest, totals[i].numbers);
	if (!strncmp(line, "process ", 8))
		return read_process(rest, &counts->server_user);
	if (!strncmp(line, "kernel-of ", 10))
		return read_process(rest, &counts->server_kernel);
	if (!strncmp(line, "at ", 3))
		return read_address(rest, counts);
	if (!strncmp(line, "lost ", 5))
		return sscanf(rest, "%" SCNu64, &counts->lost_addresses) == 1;
	return !strncmp(line, "lost-turns ", 11) &&
	       sscanf(rest, "%" SCNu64, &counts->lost_turns) == 1;
}

static int compare_addresses(const void *one, const void *other)
{
	const struct counted_address *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

int counts_next(FILE *file, struct counts *counts, struct reason *reason)
{
	bool inside = false, whole = false, good = true;
	char *line = NULL;
	size_t room = 0;
	unsigned int version;

	memset(counts, 0, sizeof(*counts));
	while (good && !whole && getline(&line, &room, file) > 0) {
		if (!inside)
			good = inside =
				sscanf(line, "counts %u", &version) == 1 && version == VERSION;
		else if (!strcmp(line, "end\n"))
			whole = true;
		else
			good = read_line(line, counts);
	}
	if (!good)
		reason_set(reason,
			   "the counts have a line that is not expected (%.40s); are the counter "
			   "and this harness of the same version?",
			   line);
	else if (inside && !whole)
		reason_set(reason, "the counts end in their middle; is the disk full?");
	else if (counts->lost_addresses || counts->lost_turns)
		reason_set(reason,
			   "the counter had no room for %" PRIu64
			   " addresses of the kernel and %" PRIu64
			   " turns of processes: a shorter measurement needs less",
			   counts->lost_addresses, counts->lost_turns);
	free(line);
	if (whole && counts->address_count)
		qsort(counts->addresses, counts->address_count, sizeof(*counts->addresses),
		      compare_addresses);
	if (whole && !counts->lost_addresses && !counts->lost_turns)
		return 1;
	counts_free(counts);
	return good && !inside ? 0 : -1;
}

int counts_read(FILE *file, struct counts *counts, struct reason *reason)
{
	struct counts next;
	bool any = false;
	int got;

	memset(counts, 0, sizeof(*counts));
	while ((got = counts_next(file, &next, reason)) > 0) {
		counts_free(counts);
		*counts = next;
		any = true;
	}
	if (got < 0)
		return -1;
	return any ? 0 : reason_set(reason, "there are no counts");
}

/* -- symbols -------------------------------------------------------------------------------- */

void symbols_free(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		free(symbols->symbols[i].name);
	free(symbols->symbols);
	memset(symbols, 0, sizeof(*symbols));
}

static int compare_symbols(const void *one, const void *other)
{
	const struct symbol *a = one, *b = other;

	return (a->address > b->address) - (a->address < b->address);
}

static bool add_symbol(struct symbols *symbols, uint64_t address, const char *name)
{
	if (!(symbols->count & (symbols->count - 1))) {
		size_t room = symbols->count ? 2 * symbols->count : 1;
		void *more = realloc(symbols->symbols, room * sizeof(*symbols->symbols));

		if (!more)
			return false;
		symbols->symbols = more;
	}
	symbols->symbols[symbols->count] = (struct symbol){ address, strdup(name) };
	return symbols->symbols[symbols->count++].name;
}

int symbols_read(FILE *file, struct symbols *symbols, struct reason *reason)
{
	char *line = NULL;
	size_t room = 0;
	bool good = true;

	memset(symbols, 0, sizeof(*symbols));
	while (good && getline(&line, &room, file) > 0) {
		uint64_t address;
		char kind, name[256];

		/* Code, global, local and weak; an address of 0 is hidden from us. */
		if (sscanf(line, "%" SCNx64 " %c %255s", &address, &kind, name) == 3 &&
		    strchr("tTwW", kind) && address)
			good = add_symbol(symbols, address, name);
	}
	free(line);
	if (!good)
		return reason_no_memory(reason);
	if (!symbols->count)
		return reason_set(reason, "the kernel tells no addresses of its functions "
					  "(/proc/sys/kernel/kptr_restrict is to be 0)");
	qsort(symbols->symbols, symbols->count, sizeof(*symbols->symbols), compare_symbols);
	return 0;
}

/* Adds what lies from one address up to another. */
static void add_range(const struct counts *counts, uint64_t from, uint64_t to,
		      struct count_numbers *numbers)
{
	size_t low = 0, high = counts->address_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (counts->addresses[middle].address < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < counts->address_count && counts->addresses[low].address < to; low++)
		add(numbers, &counts->addresses[low].numbers);
}

bool counts_of_symbol(const struct counts *counts, const struct symbols *symbols, const char *name,
		      struct count_numbers *numbers)
{
	memset(numbers, 0, sizeof(*numbers));
	for (size_t i = 0; i < symbols->count; i++) {
		uint64_t from = symbols->symbols[i].address;
		size_t next = i + 1;

		if (strcmp(symbols->symbols[i].name, name))
			continue;
		while (next < symbols->count && symbols->symbols[next].address == from)
			next++;
		add_range(counts, from,
			  next < symbols->count ? symbols->symbols[next].address : UINT64_MAX,
			  numbers);
		return true;
	}
	return false;
}

/* The names are of different functions, so that nothing is counted twice. */
static void sum_of(const struct counts *counts, const struct symbols *symbols,
		   const char *const *names, struct count_numbers *numbers)
{
	struct count_numbers one;

	memset(numbers, 0, sizeof(*numbers));
	for (; *names; names++)
		if (counts_of_symbol(counts, symbols, *names, &one))
			add(numbers, &one);
}

void counts_of_memcpy(const struct counts *counts, const struct symbols *symbols,
		      struct count_numbers *numbers)
{
	/* The second is what c-words falls back to (harness/board/patch.c). */
	static const char *const names[] = { "memcpy", "linux_memcpy", NULL };

	sum_of(counts, symbols, names, numbers);
}

/* Since 6.8 the entry decides by CPU and size which of the other two copies. Both directions are
 * one body. */
void counts_of_usercopy(const struct counts *counts, const struct symbols *symbols,
			struct count_numbers *numbers)
{
	static const char *const names[] = { "__asm_copy_to_user", "fallback_scalar_usercopy",
					     "__asm_vector_usercopy", "enter_vector_usercopy",
					     NULL };

	sum_of(counts, symbols, names, numbers);
}

void counts_of_locks(const struct counts *counts, const struct symbols *symbols,
		     struct count_numbers *numbers)
{
	static const char *const names[] = { "_raw_spin_lock",
					     "_raw_spin_lock_bh",
					     "_raw_spin_lock_irq",
					     "_raw_spin_lock_irqsave",
					     "_raw_spin_trylock",
					     "_raw_spin_trylock_bh",
					     "_raw_read_lock",
					     "_raw_read_lock_bh",
					     "_raw_write_lock",
					     "_raw_write_lock_bh",
					     "native_queued_spin_lock_slowpath",
					     "queued_spin_lock_slowpath",
					     NULL };

	sum_of(counts, symbols, names, numbers);
}

struct share {
	const char *name;
	uint64_t instructions;
};

static int compare_shares(const void *one, const void *other)
{
	const struct share *a = one, *b = other;

	return (a->instructions < b->instructions) - (a->instructions > b->instructions);
}

/* Both are in the order of addresses: one walk through them gives each function its sum. */
static size_t sum_functions(const struct counts *counts, const struct symbols *symbols,
			    struct share *shares)
{
	size_t used = 0, symbol = 0;

	for (size_t i = 0; i < counts->address_count; i++) {
		uint64_t address = counts->addresses[i].address;
		bool same;

		same = used &&
		       (symbol == symbols->count || address < symbols->symbols[symbol].address);
		while (symbol < symbols->count && symbols->symbols[symbol].address <= address)
			symbol++;
		if (!symbol)
			continue;
		if (!same)
			shares[used++] = (struct share){ symbols->symbols[symbol - 1].name, 0 };
		shares[used - 1].instructions += counts->addresses[i].numbers.instructions;
	}
	return used;
}

void counts_describe(const struct counts *counts, const struct symbols *symbols,
		     double instructions, char *text, size_t size)
{
	struct share *shares = calloc(counts->address_count + 1, sizeof(*shares));
	size_t count = shares ? sum_functions(counts, symbols, shares) : 0;
	size_t used = 0;

	*text = '\0';
	qsort(shares, count, sizeof(*shares), compare_shares);
	for (size_t i = 0; i < count; i++) {
		double percent = 100 * (double)shares[i].instructions / instructions;
		char piece[300];

		snprintf(piece, sizeof(piece), "%s%s %.1f", i ? ", " : "", shares[i].name, percent);
		if (percent < 1 || used + strlen(piece) >= size)
			break;
		strcpy(text + used, piece);
		used += strlen(piece);
	}
	free(shares);
}
