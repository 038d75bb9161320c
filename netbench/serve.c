/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * netbench serve: one thread for everything that is not bulk data (the iperf3 server, connections
 * of the echo server, signals); the engine's threads move the bytes.
 */
#include "netbench/serve.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "copylib/copylib.h"
#include "netbench/echo.h"
#include "netbench/iperf3/report.h"
#include "netbench/iperf3/server.h"
#include "netbench/iperf3/streams.h"
#include "netbench/loop.h"
#include "netbench/serve_options.h"

#define EXIT_TEST_FAILED 1
#define EXIT_SETUP	 2
#define WHY_BYTES	 512
#define MAPPED_BYTES	 (64 << 10) /* as large as the smallest slot */

struct serve {
	struct serve_options options;
	struct loop *loop;
	struct engine *engine;
	struct server *server;
	struct echo *echo; /* NULL: not wanted */
	struct watch signals;
	struct watch engine_events;
	struct report_settings settings;
	FILE *json;  /* NULL: not wanted */
	FILE *lines; /* about tests; NULL: not wanted */
	bool stop;
	bool one_ended;
	bool one_failed;
};

/* -- what is told of tests ----------------------------------------------------------------- */

static void test_started(void *context, const struct report *report)
{
	struct serve *serve = context;
	char line[REPORT_LINE_BYTES];

	if (!serve->lines)
		return;
	fprintf(serve->lines, "netbench: %s: begins: %s\n", report->client,
		report_describe(&report->parameters, line));
	fflush(serve->lines);
}

static void write_json(struct serve *serve, const struct report *report)
{
	char *text = report_json(report, &serve->settings);

	if (!text || fprintf(serve->json, "%s\n", text) < 0 || fflush(serve->json) != 0)
		fprintf(stderr, "netbench: %s: the result of %s is lost: %s\n", serve->options.json,
			report->client, text ? strerror(errno) : "no memory");
	free(text);
}

static void test_ended(void *context, const struct report *report)
{
	struct serve *serve = context;
	char line[REPORT_LINE_BYTES];

	if (serve->lines) {
		fprintf(serve->lines, "netbench: %s: ended: %s\n", report->client,
			report_summarize(report, line));
		fflush(serve->lines);
	}
	if (report->error[0])
		fprintf(stderr, "netbench: %s: %s\n", report->client, report->error);
	if (serve->json)
		write_json(serve, report);
	if (!serve->one_ended)
		serve->one_failed = report->error[0] != '\0';
	serve->one_ended = true;
	if (serve->options.one_off)
		server_stop_listening(serve->server);
}

static void connection_rejected(void *context, const char *client, const char *reason)
{
	(void)context;
	fprintf(stderr, "netbench: %s: closed: %s\n", client, reason);
}

/* -- events -------------------------------------------------------------------------------- */

static void signal_ready(struct watch *watch, uint32_t events)
{
	struct serve *serve =
		(struct serve *)(void *)((char *)watch - offsetof(struct serve, signals));
	struct signalfd_siginfo information;

	(void)events;
	if (read(watch->fd, &information, sizeof(information)) == sizeof(information))
		serve->stop = true;
}

static void engine_ready(struct watch *watch, uint32_t events)
{
	struct serve *serve =
		(struct serve *)(void *)((char *)watch - offsetof(struct serve, engine_events));
	struct flow *flow;

	(void)events;
	while ((flow = engine_next_ended(serve->engine)))
		if (!echo_flow_ended(serve->echo, flow))
			streams_flow_ended(flow);
}

/* -- life ---------------------------------------------------------------------------------- */

/** Signals come through the loop; before any thread is made, which would inherit the mask. */
static int open_signals(struct serve *serve)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 || signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		return -errno;
	serve->signals.ready = signal_ready;
	serve->signals.fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (serve->signals.fd < 0)
		return -errno;
	return loop_watch(serve->loop, &serve->signals, EPOLLIN);
}

/** Many clients need many descriptors; how many there may be is the system's to say. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static bool open_outputs(struct serve *serve)
{
	const char *name = serve->options.json;
	bool to_stdout = name && strcmp(name, "-") == 0;

	if (to_stdout)
		serve->json = stdout;
	else if (name)
		serve->json = fopen(name, "we");
	if (name && !serve->json) {
		fprintf(stderr,
			"netbench serve: --json %s: %s; choose a file that can be written\n", name,
			strerror(errno));
		return false;
	}
	if (!serve->options.quiet)
		serve->lines = to_stdout ? stderr : stdout;
	return true;
}

static bool open_engine(struct serve *serve)
{
	const struct serve_options *options = &serve->options;
	char why[WHY_BYTES] = "";
	int error;

	serve->engine = engine_open(options->engine, &options->engine_options, why, sizeof(why));
	if (!serve->engine) {
		fprintf(stderr, "netbench serve: engine %s: %s\n", options->engine, why);
		return false;
	}
	if (why[0])
		fprintf(stderr, "netbench serve: %s\n", why);
	serve->settings = (struct report_settings){
		.engine = engine_describe(serve->engine),
		.copy = options->engine_options.copy ? options->engine_options.copy->name : "none",
		.source_align = options->engine_options.source_align,
		.destination_align = options->engine_options.destination_align,
		.ring_bytes = options->engine_options.ring_bytes,
	};
	serve->engine_events.fd = engine_event_fd(serve->engine);
	serve->engine_events.ready = engine_ready;
	error = loop_watch(serve->loop, &serve->engine_events, EPOLLIN);
	if (error)
		fprintf(stderr, "netbench serve: epoll: %s\n", strerror(-error));
	return error == 0;
}

static bool open_server(struct serve *serve)
{
	struct server_config config = {
		.bind_address = serve->options.bind_address,
		.port = serve->options.port,
		.loop = serve->loop,
		.engine = serve->engine,
		.context = serve,
		.started = test_started,
		.ended = test_ended,
		.rejected = connection_rejected,
	};
	char why[WHY_BYTES] = "";

	serve->server = server_open(&config, why, sizeof(why));
	if (!serve->server)
		fprintf(stderr, "netbench serve: %s\n", why);
	return serve->server != NULL;
}

static bool open_echo(struct serve *serve)
{
	const struct serve_options *options = &serve->options;
	struct echo_config config = {
		.bind_address = options->bind_address,
		.port = options->echo_port,
		.loop = serve->loop,
		.engine = serve->engine,
	};
	char why[WHY_BYTES] = "";

	if (!options->echo_port_given) {
		if (server_port(serve->server) == UINT16_MAX)
			return true; /* there is no port behind it */
		config.port = server_port(serve->server) + 1;
	} else if (config.port == 0) {
		return true;
	}
	serve->echo = echo_open(&config, why, sizeof(why));
	if (!serve->echo)
		fprintf(stderr, "netbench serve: %s\n", why);
	return serve->echo != NULL;
}

static bool serve_open(struct serve *serve)
{
	int error;

	serve->signals.fd = -1;
	if (!open_outputs(serve))
		return false;
	raise_descriptor_limit();
	serve->loop = loop_open();
	error = serve->loop ? open_signals(serve) : -errno;
	if (error) {
		fprintf(stderr, "netbench serve: set-up: %s\n", strerror(-error));
		return false;
	}
	return open_engine(serve) && open_server(serve) && open_echo(serve);
}

static void serve_close(struct serve *serve)
{
	if (serve->server)
		server_terminate(serve->server);
	if (serve->engine) {
		loop_unwatch(serve->loop, &serve->engine_events);
		engine_close(serve->engine);
	}
	server_close(serve->server);
	echo_close(serve->echo);
	if (serve->signals.fd >= 0) {
		loop_unwatch(serve->loop, &serve->signals);
		close(serve->signals.fd);
	}
	loop_close(serve->loop);
	if (serve->json && serve->json != stdout)
		fclose(serve->json);
}

/** The line a script waits for before it starts clients. */
static void tell_ready(const struct serve *serve)
{
	char echo[32] = "no echo";

	if (serve->echo)
		snprintf(echo, sizeof(echo), "echo on %u", echo_port(serve->echo));
	printf("netbench: listening on port %u (TCP, UDP), %s; %s; copy %s\n",
	       server_port(serve->server), echo, serve->settings.engine, serve->settings.copy);
	fflush(stdout);
}

static int run(struct serve *serve)
{
	while (!serve->stop) {
		int timeout_ms = server_tick(serve->server);
		int error;

		if (serve->options.one_off && serve->one_ended && server_is_idle(serve->server))
			return serve->one_failed ? EXIT_TEST_FAILED : 0;
		error = loop_run(serve->loop, timeout_ms);
		if (error) {
			fprintf(stderr, "netbench serve: epoll: %s\n", strerror(-error));
			return EXIT_SETUP;
		}
	}
	return 0;
}

int serve_main(int argc, char **argv)
{
	struct serve serve = { 0 };
	int status = EXIT_SETUP;

	switch (serve_options_read(argc, argv, &serve.options)) {
	case SERVE_OPTIONS_HELP:
		return 0;
	case SERVE_OPTIONS_WRONG:
		return EXIT_SETUP;
	case SERVE_OPTIONS_RUN:
		break;
	}
	/*
	 * Slots and buffers go back to the system when their flow ends. Left to itself, glibc
	 * raises the size from which it asks the system with each one that is freed, and keeps
	 * megabytes.
	 */
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	if (serve_open(&serve)) {
		tell_ready(&serve);
		status = run(&serve);
	}
	serve_close(&serve);
	return status;
}
