/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Machine: QEMU's command line, and waiting for the board behind it. */
#define _GNU_SOURCE /* asprintf() */
#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/board/command.h"
#include "harness/board/machine.h"
#include "harness/host/process.h"
#include "harness/measure/interrupt.h"

#define QEMU		 "qemu-system-riscv64"
#define QEMU_MAJOR_MIN	 9 /* with scoreboards for plugins, and the CPUs of the RVA profiles */
#define QEMU_ADVICE	 "apt-get install qemu-system-riscv"
#define SSH_LIMIT_S	 30
#define VERSION_LIMIT_NS (10 * NS_PER_S)
#define POLL_NS		 (NS_PER_S / 20)
#define CONSOLE_LINES	 8
#define CLOCK_SHIFT	 2 /* 2^2 ns an instruction, where time follows them: a board of 250 MIPS */
#define READY		 "netbench board: ready"
#define CONTROL_MAC	 "52:54:00:6e:62:01"
#define WIRE_MAC	 "52:54:00:6e:62:02"
#define WORDS_MAX	 64
#define AS_ON_A_WIRE                                                                 \
	"guest_tso4=off,guest_tso6=off,guest_ufo=off,guest_uso4=off,guest_uso6=off," \
	"host_tso4=off,host_tso6=off,host_ufo=off,host_uso=off"

static const struct nic {
	const char *name, *device, *append;
} nics[] = {
	/* Frames as on a wire: no segment larger than the MTU, either way. */
	{ "virtio", "virtio-net-device," AS_ON_A_WIRE, "" },
	{ "virtio-pci", "virtio-net-pci,romfile=," AS_ON_A_WIRE, "" },
	/* Its driver copies each received frame up to that length into a buffer of its own, at 2
	 * past a word, as BeagleV's did in 2021. */
	{ "tulip", "tulip,romfile=", "tulip.rx_copybreak=1518" },
	{ "e1000", "e1000,romfile=", "" },
};
#define NICS (sizeof(nics) / sizeof(nics[0]))

struct machine {
	struct host_process *qemu; /* NULL: in the background */
	struct ssh *ssh;
	char console[BOARD_PATH_SIZE];
};

const char *machine_nics(void)
{
	static char names[128];

	*names = '\0';
	for (size_t i = 0; i < NICS; i++) {
		strcat(names, i ? ", " : "");
		strcat(names, nics[i].name);
	}
	return names;
}

static const struct nic *find_nic(const char *name)
{
	for (size_t i = 0; i < NICS; i++)
		if (!strcmp(nics[i].name, name))
			return &nics[i];
	return NULL;
}

bool machine_has_nic(const char *name)
{
	return find_nic(name);
}

/* -- QEMU's command line -------------------------------------------------------------------- */

struct words {
	const char *argv[WORDS_MAX];
	size_t count;
	bool whole;
};

static void add(struct words *words, const char *word)
{
	char *copy = strdup(word);

	if (!copy || words->count + 1 == WORDS_MAX) {
		free(copy);
		words->whole = false;
		return;
	}
	words->argv[words->count++] = copy;
	words->argv[words->count] = NULL;
}

static void add_option(struct words *words, const char *option, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void add_option(struct words *words, const char *option, const char *format, ...)
{
	char value[3 * BOARD_PATH_SIZE];
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(value, sizeof(value), format, arguments) >= (int)sizeof(value))
		words->whole = false;
	va_end(arguments);
	add(words, option);
	add(words, value);
}

static void free_words(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free((char *)(uintptr_t)words->argv[i]);
}

static void qemu_words(const struct machine_options *options, const char *image,
		       const char *initramfs, struct words *words)
{
	const struct nic *nic = find_nic(options->nic);

	words->count = 0;
	words->whole = true;
	add(words, QEMU);
	add_option(words, "-machine", "virt");
	add_option(words, "-cpu", "%s", options->cpu);
	add_option(words, "-smp", "%u", options->cores);
	add_option(words, "-m", "%uM", options->memory_mib);
	add(words, "-no-reboot");
	add_option(words, "-display", "none");
	add_option(words, "-monitor", "none");
	/* A comma in a file's name is doubled in QEMU's options; none is in ours. */
	add_option(words, "-serial", "file:%s", options->console);
	add_option(words, "-kernel", "%s", image);
	add_option(words, "-initrd", "%s", initramfs);
	add_option(words, "-append", "console=ttyS0 quiet panic=-1 nokaslr %s %s", nic->append,
		   options->append ? options->append : "");
	add_option(words, "-device", "virtio-rng-device");
	add_option(words, "-netdev", "user,id=control,hostfwd=tcp:127.0.0.1:%u-:22",
		   options->ssh_port);
	add_option(words, "-device", "virtio-net-device,netdev=control,mac=" CONTROL_MAC);
	if (options->tap) {
		add_option(words, "-netdev", "tap,id=wire,ifname=%s,script=no,downscript=no",
			   options->tap);
		add_option(words, "-device", "%s,netdev=wire,mac=" WIRE_MAC, nic->device);
	}
	if (options->by_instructions) {
		add_option(words, "-icount", "shift=%u,sleep=off", CLOCK_SHIFT);
		add_option(words, "-rtc", "clock=vm");
		add_option(words, "-seed", "1");
	}
	if (options->plugin)
		add_option(words, "-plugin", "%s", options->plugin);
	if (options->pid_file) {
		add(words, "-daemonize");
		add_option(words, "-pidfile", "%s", options->pid_file);
	}
}

/* -- what it needs -------------------------------------------------------------------------- */

static int check_version(struct reason *reason)
{
	static const char *const argv[] = { QEMU, "--version", NULL };
	const struct process_options options = { .argv = argv, .cpu = -1 };
	struct host_process *process;
	unsigned int major = 0;
	char *said = NULL;
	int status;

	if (process_start(&options, &process, reason)) {
		size_t used = strlen(reason->text);

		snprintf(reason->text + used, sizeof(reason->text) - used, "; " QEMU_ADVICE);
		return -1;
	}
	if (host_wait(process, VERSION_LIMIT_NS, &status) == HOST_WAIT_DONE)
		said = host_output_text(process, HOST_STDOUT);
	host_close_process(process);
	if (!said || sscanf(said, "QEMU emulator version %u", &major) != 1) {
		free(said);
		return reason_set(reason, QEMU " does not tell its version; " QEMU_ADVICE);
	}
	free(said);
	if (major < QEMU_MAJOR_MIN)
		return reason_set(reason,
				  QEMU " is version %u, too old: %d or later is needed, as in "
				       "Debian 13 (" QEMU_ADVICE ")",
				  major, QEMU_MAJOR_MIN);
	return 0;
}

/* The kernels that there are, in words. */
static void list_kernels(const char *folder, char *names, size_t size)
{
	char pattern[BOARD_PATH_SIZE];
	struct reason ignored;
	size_t used = 0;
	glob_t files;

	snprintf(names, size, "none");
	if (board_path(pattern, &ignored, folder, "kernel/*/Image") ||
	    glob(pattern, 0, NULL, &files))
		return;
	for (size_t i = 0; i < files.gl_pathc && used < size; i++) {
		char *path = files.gl_pathv[i];
		char *name = strstr(path + strlen(folder), "/kernel/") + strlen("/kernel/");

		used += (size_t)snprintf(names + used, size - used, "%s%.*s", i ? ", " : "",
					 (int)strcspn(name, "/"), name);
	}
	globfree(&files);
}

static int find_files(const struct machine_options *options, char image[BOARD_PATH_SIZE],
		      char initramfs[BOARD_PATH_SIZE], struct reason *reason)
{
	char names[512];

	if (board_path(image, reason, options->folder, "kernel/%s/Image", options->kernel) ||
	    board_path(initramfs, reason, options->folder, "initramfs.cpio.gz"))
		return -1;
	if (access(initramfs, R_OK))
		return reason_set(reason, "%s: %s; make it by: harness board build", initramfs,
				  strerror(errno));
	if (!*options->kernel || strchr(options->kernel, '/') || access(image, R_OK)) {
		list_kernels(options->folder, names, sizeof(names));
		return reason_set(reason,
				  "kernel %s: there is none of that name in %s/kernel; there is: "
				  "%s; make one by: harness board kernel %s",
				  options->kernel, options->folder, names, options->kernel);
	}
	return 0;
}

/* -- running -------------------------------------------------------------------------------- */

static int explain_console(const struct machine *machine, const char *how, struct reason *reason)
{
	char *said = command_last_lines(machine->console, CONSOLE_LINES);

	reason_set(reason, "%s; its console said last:\n%.700s\n  the whole is in %s", how,
		   said ? said : "(nothing)", machine->console);
	free(said);
	return -1;
}

static bool console_has(const char *path, const char *wanted)
{
	FILE *file = fopen(path, "re");
	char line[512];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, wanted);
	if (file)
		fclose(file);
	return found;
}

/* QEMU ended: by itself, or with a panic. What it says itself is on its standard error. */
static int explain_end(const struct machine *machine, struct reason *reason)
{
	char *said = machine->qemu ? host_output_text(machine->qemu, HOST_STDERR) : NULL;

	if (said && *said) {
		said[strcspn(said, "\n")] = '\0';
		reason_set(reason, "%s", said);
		free(said);
		return -1;
	}
	free(said);
	return explain_console(machine,
			       console_has(machine->console, "Kernel panic")
				       ? "the board's kernel panicked"
				       : "the board ended",
			       reason);
}

static int explain_hang(const struct machine *machine, unsigned int limit_s, struct reason *reason)
{
	char how[80];

	snprintf(how, sizeof(how), "the board hangs: it was not up within %u s", limit_s);
	return explain_console(machine, how, reason);
}

static int wait_until_ready(struct machine *machine, unsigned int limit_s, struct reason *reason)
{
	bool terminal = isatty(STDERR_FILENO);

	for (int64_t waited_ns = 0; waited_ns < limit_s * NS_PER_S; waited_ns += POLL_NS) {
		enum host_wait waited;
		int status;

		if (console_has(machine->console, READY))
			return 0;
		if (terminal && waited_ns % NS_PER_S == 0)
			fprintf(stderr, "\r\033[Kthe board boots ... %d s\r",
				(int)(waited_ns / NS_PER_S));
		waited = host_wait(machine->qemu, POLL_NS, &status);
		if (waited == HOST_WAIT_INTERRUPTED)
			return reason_set(reason, "the boot was interrupted");
		if (waited != HOST_WAIT_TIMEOUT)
			return explain_end(machine, reason);
	}
	return explain_hang(machine, limit_s, reason);
}

/* In the background there is no child to wait for: its console has to grow. */
static int wait_in_background(struct machine *machine, unsigned int limit_s, struct reason *reason)
{
	const struct timespec pause = { .tv_nsec = POLL_NS };

	for (int64_t waited_ns = 0; waited_ns < limit_s * NS_PER_S; waited_ns += POLL_NS) {
		if (console_has(machine->console, READY))
			return 0;
		if (console_has(machine->console, "Kernel panic"))
			return explain_end(machine, reason);
		if (interrupt_seen())
			return reason_set(reason, "the boot was interrupted");
		nanosleep(&pause, NULL);
	}
	return explain_hang(machine, limit_s, reason);
}

static int start_qemu(struct machine *machine, const struct machine_options *options,
		      const struct words *words, struct reason *reason)
{
	const struct process_options process = {
		.argv = words->argv, .cpu = -1, .enter = options->enter, .context = options->context
	};
	int status = 0;

	if (process_start(&process, &machine->qemu, reason))
		return -1;
	if (!options->pid_file)
		return wait_until_ready(machine, options->limit_s, reason);
	/* It comes back from QEMU when the machine has begun to run. */
	if (host_wait(machine->qemu, SSH_LIMIT_S * NS_PER_S, &status) != HOST_WAIT_DONE || status)
		return explain_end(machine, reason);
	host_close_process(machine->qemu);
	machine->qemu = NULL;
	return wait_in_background(machine, options->limit_s, reason);
}

static struct ssh *connect_to(const char *folder, unsigned int port,
			      int (*enter)(const void *context), const void *context,
			      struct reason *reason)
{
	char key[BOARD_PATH_SIZE];
	const struct ssh_options options = { .destination = "root@127.0.0.1",
					     .port = port,
					     .key = key,
					     .enter = enter,
					     .context = context };

	if (board_path(key, reason, folder, "key"))
		return NULL;
	return ssh_open(&options, SSH_LIMIT_S, reason);
}

struct ssh *machine_connect(const char *folder, unsigned int ssh_port, struct reason *reason)
{
	return connect_to(folder, ssh_port, NULL, NULL, reason);
}

struct machine *machine_start(const struct machine_options *options, struct reason *reason)
{
	char image[BOARD_PATH_SIZE], initramfs[BOARD_PATH_SIZE];
	struct machine *machine;
	struct words words;
	int status;

	if (check_version(reason) || find_files(options, image, initramfs, reason))
		return NULL;
	machine = calloc(1, sizeof(*machine));
	if (!machine) {
		reason_no_memory(reason);
		return NULL;
	}
	snprintf(machine->console, sizeof(machine->console), "%s", options->console);
	unlink(options->console);
	qemu_words(options, image, initramfs, &words);
	status = words.whole ? start_qemu(machine, options, &words, reason)
			     : reason_no_memory(reason);
	free_words(&words);
	if (!status && !options->pid_file) {
		machine->ssh = connect_to(options->folder, options->ssh_port, options->enter,
					  options->context, reason);
		status = machine->ssh ? 0 : -1;
	}
	if (!status)
		return machine;
	machine_close(machine);
	return NULL;
}

struct ssh *machine_ssh(struct machine *machine)
{
	return machine->ssh;
}

bool machine_is_gone(struct machine *machine, struct reason *reason)
{
	int status;

	if (host_wait(machine->qemu, 1, &status) != HOST_WAIT_DONE)
		return false;
	explain_end(machine, reason);
	return true;
}

void machine_close(struct machine *machine)
{
	if (!machine)
		return;
	ssh_close(machine->ssh);
	host_close_process(machine->qemu);
	free(machine);
}
