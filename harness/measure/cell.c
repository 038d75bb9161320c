/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Cell: the server is started anew for each, so that no cell inherits anything from another, and
 * its CPU time is the cell's. That costs a few milliseconds: it is ready when it says so.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/copies/additions.h"
#include "harness/measure/cell.h"
#include "harness/measure/counts.h"
#include "harness/measure/iperf3.h"

#define READY_LIMIT_S 5
#define ARGUMENTS_MAX 64

/* So that the counter knows the server among the processes; as harness board build puts it there.
 */
#define MARK_LIBRARY "LD_PRELOAD=/usr/lib/libcounter-mark.so"

static const char netbench_ready[] = "netbench: listening";
static const char iperf3_ready[] = "Server listening";

/* The first line of a process's standard error (the last has often the less to say); to be freed.
 */
static char *complaint(struct host_process *process)
{
	char *text = host_output_text(process, HOST_STDERR);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static void add_complaint(struct reason *reason, struct host_process *process, const char *whose)
{
	char *text = complaint(process);
	size_t used = strlen(reason->text);

	if (text && *text)
		snprintf(reason->text + used, sizeof(reason->text) - used, "; %s: %s", whose, text);
	free(text);
}

static void keep_ready_line(struct host_process *server, const char *beginning, char *line,
			    size_t size)
{
	char *text = host_output_text(server, HOST_STDOUT);
	const char *found = text ? strstr(text, beginning) : NULL;

	snprintf(line, size, "%.*s", found ? (int)strcspn(found, "\n") : 0, found ? found : "");
	free(text);
}

/* The server's command line; port_text outlives it. */
static void server_command(const struct bench *bench, const struct column *column,
			   const char *port_text, const char *argv[ARGUMENTS_MAX])
{
	const char *address = host_address(bench->hosts.board);
	/* The stock server would keep the line we wait for in its buffer. */
	const char *const stock[] = { bench->board_programs->iperf3,
				      "-s",
				      "-p",
				      port_text,
				      "-B",
				      address,
				      "--forceflush",
				      NULL };
	const char *const ours[] = { bench->board_programs->netbench,
				     "serve",
				     "--port",
				     port_text,
				     "--bind",
				     address,
				     "--echo-port",
				     "0",
				     "--json",
				     "-",
				     "--quiet",
				     NULL };
	const char *const *argument = column->program == COLUMN_IPERF3 ? stock : ours;
	size_t count = 0;

	if (host_counts(bench->hosts.board)) {
		argv[count++] = "env";
		argv[count++] = MARK_LIBRARY;
	}
	for (; *argument; argument++)
		argv[count++] = *argument;
	for (size_t i = 0; column->program == COLUMN_NETBENCH && additions_for_netbench(i); i++) {
		argv[count++] = "--add";
		argv[count++] = additions_for_netbench(i);
	}
	if (*column->engine) {
		argv[count++] = "--engine";
		argv[count++] = column->engine;
	}
	if (column->program == COLUMN_NETBENCH) {
		argv[count++] = "--copy"; /* which may be an added one */
		argv[count++] = column->copy;
	}
	argv[count] = NULL;
}

/* Starts the column's server and waits until it is ready. NULL: *status and the reason are set. */
static struct host_process *start_server(struct bench *bench, const struct column *column,
					 unsigned int port, struct cell_figures *figures,
					 enum cell_status *status, struct reason *reason)
{
	const char *ready = column->program == COLUMN_IPERF3 ? iperf3_ready : netbench_ready;
	const char *argv[ARGUMENTS_MAX];
	struct host_process *server;
	enum host_wait waited;
	unsigned int limit_s;
	char port_text[16];

	*status = CELL_FAILED;
	snprintf(port_text, sizeof(port_text), "%u", port);
	server_command(bench, column, port_text, argv);
	if (host_start(bench->hosts.board, argv, &server, reason))
		return NULL;
	limit_s = READY_LIMIT_S * host_slowness(bench->hosts.board);
	waited = host_wait_line(server, ready, limit_s * NS_PER_S);
	if (waited == HOST_WAIT_DONE) {
		keep_ready_line(server, ready, figures->server, sizeof(figures->server));
		return server;
	}
	if (waited == HOST_WAIT_INTERRUPTED)
		*status = CELL_INTERRUPTED;
	if (waited == HOST_WAIT_TIMEOUT)
		reason_set(reason, "the server was not ready within %u s", limit_s);
	else
		reason_set(reason, "the server %s",
			   waited == HOST_WAIT_ENDED ? "ended at once" : strerror(errno));
	add_complaint(reason, server, "it says");
	host_close_process(server);
	return NULL;
}

/* The time in its copies that netbench tells in the line of JSON about the test; -1: none. */
static double read_copy_time(struct host_process *server)
{
	char *text = host_output_text(server, HOST_STDOUT);
	const char *line = text ? strstr(text, "\n{") : NULL;
	json_t *told = line ? json_loads(line, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
	const json_t *figure = json_object_get(told, "copy_ns_per_byte");
	double copy_ns_per_byte = json_is_number(figure) ? json_number_value(figure) : -1;

	json_decref(told);
	free(text);
	return copy_ns_per_byte;
}

/* What a client has found once it has ended. */
static enum cell_status read_client(struct host_process *client, int exit_status, bool udp,
				    struct iperf3_figures *found, struct reason *reason)
{
	char *json = host_output_text(client, HOST_STDOUT);
	int result = json ? iperf3_read_client(json, udp, found, reason) : reason_no_memory(reason);

	free(json);
	if (result) {
		add_complaint(reason, client, "client");
		return CELL_FAILED;
	}
	if (exit_status) {
		reason_set(reason,
			   WIFSIGNALED(exit_status) ? "the client was ended by signal %d"
						    : "the client ended with status %d",
			   WIFSIGNALED(exit_status) ? WTERMSIG(exit_status)
						    : WEXITSTATUS(exit_status));
		add_complaint(reason, client, "it says");
		return CELL_FAILED;
	}
	return CELL_GOOD;
}

static enum cell_status run_client(struct bench *bench, int test, unsigned int port,
				   struct iperf3_figures *found, struct reason *reason)
{
	const struct configuration *configuration = bench->configuration;
	unsigned int limit_s = configuration->omit + configuration->seconds + bench->client_extra_s;
	enum cell_status status = CELL_FAILED;
	struct iperf3_command command;
	struct host_process *client;
	int exit_status = 0;

	iperf3_client_command(&command, bench->peer_programs->iperf3, configuration, test,
			      host_address(bench->hosts.board), port);
	if (host_start(bench->hosts.peer, command.argv, &client, reason))
		return CELL_FAILED;
	limit_s *= host_slowness(bench->hosts.peer);
	switch (host_wait(client, limit_s * NS_PER_S, &exit_status)) {
	case HOST_WAIT_DONE:
		status = read_client(client, exit_status, test_kinds[test].udp, found, reason);
		break;
	case HOST_WAIT_INTERRUPTED:
		status = CELL_INTERRUPTED;
		break;
	case HOST_WAIT_TIMEOUT:
		reason_set(reason, "the client had not ended after %u s and was killed", limit_s);
		break;
	default:
		reason_set(reason, "the client cannot be waited for: %s", strerror(errno));
		break;
	}
	host_close_process(client);
	return status;
}

/* A short measurement, or another congestion control than asked for, is another experiment. */
static enum cell_status judge(const struct configuration *configuration,
			      const struct iperf3_figures *found, struct reason *reason)
{
	if (found->received_s < 0.5 * configuration->seconds) {
		reason_set(reason, "measured for %.2f s instead of %u s", found->received_s,
			   configuration->seconds);
		return CELL_FAILED;
	}
	if (*found->congestion && strcmp(found->congestion, configuration->congestion)) {
		reason_set(reason, "the sender used TCP congestion control %s instead of %s",
			   found->congestion, configuration->congestion);
		return CELL_FAILED;
	}
	return CELL_GOOD;
}

/* Seconds that are omitted were counted too: at the same rate, it is taken. */
static double all_bytes(const struct configuration *configuration,
			const struct iperf3_figures *found)
{
	return found->received_bytes * (configuration->omit + configuration->seconds) /
	       configuration->seconds;
}

static void fill_times(const struct iperf3_figures *found, double bytes, int64_t cpu_ns,
		       struct cell_figures *figures)
{
	figures->mbit_per_s = found->received_bytes * 8 / found->received_s / 1e6;
	figures->cpu_s_per_gb = cpu_ns < 0 ? -1 : (double)cpu_ns / NS_PER_S / (bytes / 1e9);
}

/*
 * Nothing of time: that of an emulator says nothing about a board. So locks are left out too: a CPU
 * spins for one as long as the emulator takes for the other CPU, and makes the figure that.
 */
static void fill_counts(const struct counts *counts, const struct symbols *symbols, double bytes,
			struct cell_figures *figures)
{
	struct count_numbers copies, locks;
	double kernel, all;

	counts_of_locks(counts, symbols, &locks);
	kernel = (double)(counts->kernel.instructions - locks.instructions);
	all = kernel + (double)counts->server_user.instructions;
	figures->instructions_per_byte = all / bytes;
	figures->kernel_per_byte = kernel / bytes;
	figures->misaligned_per_kb = 1000 *
				     (double)(count_misaligned(&counts->kernel) +
					      count_misaligned(&counts->server_user)) /
				     bytes;
	counts_describe(counts, symbols, all, figures->symbols, sizeof(figures->symbols));
	counts_of_memcpy(counts, symbols, &copies);
	figures->memcpy_percent = 100 * (double)copies.instructions / all;
	counts_of_usercopy(counts, symbols, &copies);
	figures->usercopy_percent = 100 * (double)copies.instructions / all;
	figures->mbit_per_s = figures->cpu_s_per_gb = figures->copy_ns_per_byte = -1;
}

bool cell_loss_is_told(const struct bench *bench, int test)
{
	return test_kinds[test].reverse || !bench->configuration->omit ||
	       iperf3_tells_loss_after_omit(bench->peer_programs->iperf3_version);
}

enum cell_status cell_measure(struct bench *bench, const struct column *column, int test,
			      struct cell_figures *figures, struct reason *reason)
{
	const struct configuration *configuration = bench->configuration;
	unsigned int port;
	bool counts_here = host_counts(bench->hosts.board);
	struct counts counts = { .address_count = 0 };
	struct iperf3_figures found;
	struct host_process *server;
	int64_t cpu_before_ns, cpu_after_ns;
	enum cell_status status;

	memset(figures, 0, sizeof(*figures));
	if (*column->kernel && host_use_kernel(bench->hosts.board, column->kernel, reason))
		return CELL_FAILED;
	port = host_free_port(bench->hosts.board, reason);
	if (!port ||
	    host_set_mtu(bench->hosts.board, configuration->test[test].mtu_board, reason) ||
	    host_set_mtu(bench->hosts.peer, configuration->test[test].mtu_peer, reason))
		return CELL_FAILED;
	server = start_server(bench, column, port, figures, &status, reason);
	if (!server)
		return status;
	cpu_before_ns = counts_here ? -1 : host_cpu_time_ns(server);
	if (counts_here && host_count_begin(bench->hosts.board, reason))
		status = CELL_FAILED;
	else
		status = run_client(bench, test, port, &found, reason);
	if (counts_here && status == CELL_GOOD &&
	    host_count_end(bench->hosts.board, &counts, reason))
		status = CELL_FAILED;
	cpu_after_ns = cpu_before_ns < 0 ? -1 : host_cpu_time_ns(server);
	if (status == CELL_FAILED)
		add_complaint(reason, server, "server");
	host_end(server);
	figures->copy_ns_per_byte = read_copy_time(server);
	host_close_process(server);
	if (status == CELL_GOOD)
		status = judge(configuration, &found, reason);
	if (status == CELL_GOOD) {
		figures->loss_percent = cell_loss_is_told(bench, test) ? found.loss_percent : -1;
		figures->instructions_per_byte = figures->kernel_per_byte =
			figures->misaligned_per_kb = figures->memcpy_percent =
				figures->usercopy_percent = -1;
		fill_times(&found, all_bytes(configuration, &found),
			   cpu_after_ns < 0 ? -1 : cpu_after_ns - cpu_before_ns, figures);
		if (counts_here)
			fill_counts(&counts, host_symbols(bench->hosts.board),
				    all_bytes(configuration, &found), figures);
	}
	counts_free(&counts);
	if (status != CELL_GOOD)
		return status;
	snprintf(figures->congestion, sizeof(figures->congestion), "%s", found.congestion);
	return CELL_GOOD;
}
