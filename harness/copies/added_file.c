/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Building a user's own routine. See added_file.h. */
#define _GNU_SOURCE /* mkdtemp, asprintf */
#include "harness/copies/added_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copylib/added.h"
#include "harness/host/process.h"

#define TOOL_LIMIT_NS  INT64_C(60000000000)
#define FILE_BYTES_MAX ((off_t)64 << 20)
#define WORDS_MAX      64
#define RENAMES_MAX    512

#if defined(__riscv)
#define RISCV_TOOLS  ""
#define MACHINE_HERE EM_RISCV
#elif defined(__x86_64__)
#define RISCV_TOOLS  "riscv64-linux-gnu-"
#define MACHINE_HERE EM_X86_64
#else
#define RISCV_TOOLS  "riscv64-linux-gnu-"
#define MACHINE_HERE EM_NONE
#endif

/* What a routine is compiled with, as copylib's own are: no compiler may make it a call of memcpy.
 */
#define ROUTINE_FLAGS                                                             \
	"-c", "-O2", "-g0", "-fno-builtin", "-fno-tree-loop-distribute-patterns", \
		"-fno-tree-vectorize", "-fno-stack-protector", "-fno-strict-aliasing"

enum target { JUDGE, HERE };

/* A command that grows. */
struct command {
	const char *words[WORDS_MAX + 1];
	size_t count;
};

/* What became of a target. */
struct attempt {
	enum target target;
	const char *tools; /* prefix of their names */
	char object[PATH_MAX];
	char result[PATH_MAX];
	char *errors;		    /* of the tool that failed; owned; NULL: none did */
	char *renames[RENAMES_MAX]; /* owned */
	size_t rename_count;
	bool too_many;
	bool has_function;
};

/* -- small things -------------------------------------------------------------------------- */

static bool complain(const struct added_file *file, const char *what)
{
	fprintf(stderr, "harness: --add %s: %s\n", file->path, what);
	return false;
}

static const char *ending_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strchr(dot, '/') ? dot + 1 : "";
}

static void *read_whole(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe would keep us */
	struct stat status;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && !S_ISREG(status.st_mode))
		errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
	else if (status.st_size > FILE_BYTES_MAX)
		errno = EFBIG;
	else
		text = malloc((size_t)status.st_size + 1);
	*bytes = 0;
	while (text && *bytes < (size_t)status.st_size) {
		ssize_t part = read(fd, text + *bytes, (size_t)status.st_size - *bytes);

		if (part <= 0)
			break;
		*bytes += (size_t)part;
	}
	close(fd);
	return text;
}

static void add_word(struct command *command, const char *word)
{
	if (command->count < WORDS_MAX)
		command->words[command->count++] = word;
}

static void add_words(struct command *command, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_word(command, words[i]);
}

/* Runs it to its end. NULL: it was content; else what it said, to be freed. */
static char *run_tool(struct command *command)
{
	const struct process_options options = { .argv = command->words, .cpu = -1 };
	struct host_process *process;
	struct reason reason;
	char *errors = NULL;
	int status = -1;

	if (process_start(&options, &process, &reason))
		return strdup(reason.text);
	if (host_wait(process, TOOL_LIMIT_NS, &status) != HOST_WAIT_DONE || status != 0)
		errors = host_output_text(process, HOST_STDERR);
	if (errors && !*errors) {
		free(errors);
		if (asprintf(&errors, "%s failed, and said nothing", command->words[0]) < 0)
			errors = NULL;
	}
	if (!errors && status != 0)
		errors = strdup("there is no memory");
	host_close_process(process);
	return errors;
}

/* The headers for files of a kernel: in the tree that this program was built in, or installed. */
static bool find_kernel_headers(char *folder, size_t bytes)
{
	static const char *const places[] = { "/../../../copylib/kernel",
					      "/../share/netbench/kernel" };
	char us[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", us, sizeof(us) - 1);

	if (length <= 0)
		return false;
	us[length] = 0;
	*strrchr(us, '/') = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(folder, bytes, "%.4000s%s", us, places[i]);
		if (access(folder, R_OK) == 0)
			return true;
	}
	return false;
}

/* -- steps --------------------------------------------------------------------------------- */

static bool compile(const struct added_file *file, struct attempt *attempt)
{
	static const char *const flags[] = { ROUTINE_FLAGS };
	static const char *const for_judge[] = { "-fno-pic", "-ffreestanding", "-mabi=lp64d",
						 "-mcmodel=medany" };
	bool is_c = !strcmp(ending_of(file->path), "c");
	char compiler[64], headers[PATH_MAX], include[PATH_MAX + 2];
	struct command command = { .count = 0 };

	snprintf(compiler, sizeof(compiler), "%sgcc", attempt->tools);
	add_word(&command, compiler);
	add_words(&command, flags, sizeof(flags) / sizeof(flags[0]));
	if (attempt->target == JUDGE)
		add_words(&command, for_judge, sizeof(for_judge) / sizeof(for_judge[0]));
	else
		add_word(&command, "-fPIC");
	/* What is assembled says itself what it is for. */
	if (attempt->target == JUDGE || MACHINE_HERE == EM_RISCV)
		add_word(&command, is_c ? "-march=rv64gc" : "-march=rv64gcv_zba_zbb_zbs");
	if (!is_c) {
		add_word(&command, "-D__ASSEMBLY__");
		if (find_kernel_headers(headers, sizeof(headers))) {
			snprintf(include, sizeof(include), "-I%s", headers);
			add_word(&command, include);
		}
	}
	add_word(&command, "-o");
	add_word(&command, attempt->object);
	add_word(&command, file->path);
	attempt->errors = run_tool(&command);
	return !attempt->errors;
}

/* Notes each global symbol that the object defines, as an option that renames it. */
static bool read_symbols(struct attempt *attempt)
{
	struct elf_symbol symbol = { 0 };
	struct elf_file elf;
	size_t bytes;
	void *content = read_whole(attempt->object, &bytes);
	const char *wrong = content ? elf_open(&elf, content, bytes) : strerror(errno);
	bool from_user;

	while (!wrong && elf_next_symbol(&elf, &symbol)) {
		if (symbol.symbol.st_shndx == SHN_UNDEF ||
		    ELF64_ST_BIND(symbol.symbol.st_info) == STB_LOCAL)
			continue;
		if (copy_added_function(symbol.name, &from_user))
			attempt->has_function = true;
		if (attempt->rename_count == RENAMES_MAX)
			attempt->too_many = true;
		else if (asprintf(&attempt->renames[attempt->rename_count], "%s=%s%s", symbol.name,
				  COPY_ADDED_PREFIX, symbol.name) > 0)
			attempt->rename_count++;
	}
	free(content);
	if (wrong || attempt->too_many)
		attempt->errors = strdup(wrong ? wrong : "it defines too many symbols");
	return !attempt->errors;
}

static bool rename_symbols(struct attempt *attempt)
{
	char tool[64], list[PATH_MAX + 8], option[PATH_MAX + 32];
	struct command command = { .count = 0 };
	FILE *out;

	snprintf(tool, sizeof(tool), "%sobjcopy", attempt->tools);
	snprintf(list, sizeof(list), "%s.names", attempt->object);
	out = fopen(list, "w");
	for (size_t i = 0; out && i < attempt->rename_count; i++) {
		*strchr(attempt->renames[i], '=') = ' ';
		fprintf(out, "%s\n", attempt->renames[i]);
	}
	if (!out || fclose(out)) {
		attempt->errors = strdup(strerror(errno));
		return false;
	}
	snprintf(option, sizeof(option), "--redefine-syms=%s", list);
	add_word(&command, tool);
	add_word(&command, option);
	add_word(&command, attempt->object);
	attempt->errors = run_tool(&command);
	return !attempt->errors;
}

static bool link_object(struct attempt *attempt)
{
	static const char *const for_judge[] = {
		"-nostdlib",
		"-static",
		"-no-pie",
		"-Wl,--no-relax,--emit-relocs,--build-id=none",
		"-Wl,-e,0,-z,norelro",
	};
	static const char *const for_here[] = { "-shared", "-Wl,-z,now", "-Wl,-Bsymbolic" };
	struct command command = { .count = 0 };
	char compiler[64];

	snprintf(compiler, sizeof(compiler), "%sgcc", attempt->tools);
	add_word(&command, compiler);
	if (attempt->target == JUDGE)
		add_words(&command, for_judge, sizeof(for_judge) / sizeof(for_judge[0]));
	else
		add_words(&command, for_here, sizeof(for_here) / sizeof(for_here[0]));
	add_word(&command, "-o");
	add_word(&command, attempt->result);
	add_word(&command, attempt->object);
	attempt->errors = run_tool(&command);
	return !attempt->errors;
}

/* From the source or, if that is one, the object. */
static bool build_for(const struct added_file *file, struct attempt *attempt)
{
	bool is_object = !strcmp(ending_of(file->path), "o");

	snprintf(attempt->object, sizeof(attempt->object), "%.4000s/%s.o", file->folder,
		 attempt->target == JUDGE ? "judge" : "here");
	snprintf(attempt->result, sizeof(attempt->result), "%.4000s/%s", file->folder,
		 attempt->target == JUDGE ? "judge.elf" : "here.so");
	if (is_object) {
		struct command copy = { .words = { "cp", file->path, attempt->object },
					.count = 3 };

		attempt->errors = run_tool(&copy);
		if (attempt->errors)
			return false;
	} else if (!compile(file, attempt)) {
		return false;
	}
	if (!read_symbols(attempt))
		return false;
	if (!attempt->has_function) {
		attempt->errors = strdup("it defines none of " COPY_ADDED_SYMBOLS);
		return false;
	}
	return rename_symbols(attempt) && link_object(attempt);
}

static void attempt_free(struct attempt *attempt)
{
	free(attempt->errors);
	for (size_t i = 0; i < attempt->rename_count; i++)
		free(attempt->renames[i]);
}

/* -- what is made -------------------------------------------------------------------------- */

static bool take_image(struct added_file *file, const char *path)
{
	char why[128], text[192];
	size_t bytes;

	file->image_bytes = read_whole(path, &bytes);
	if (!file->image_bytes)
		return complain(file, strerror(errno));
	file->has_image = rv64_image_load(&file->image, file->image_bytes, bytes, why, sizeof(why));
	if (file->has_image)
		return true;
	snprintf(text, sizeof(text), "the judge cannot run it: %s", why);
	return complain(file, text);
}

static bool make_folder(struct added_file *file)
{
	const char *place = getenv("TMPDIR");

	snprintf(file->folder, sizeof(file->folder), "%.4000s/netbench-add-XXXXXX",
		 place && *place ? place : "/tmp");
	if (mkdtemp(file->folder))
		return true;
	fprintf(stderr, "harness: --add %s: %s: %s; TMPDIR names another place\n", file->path,
		file->folder, strerror(errno));
	file->folder[0] = 0;
	return false;
}

/* A compiler that is stopped leaves its own files, which then lie where we remove all. */
static char *take_temporary_folder(const char *folder)
{
	const char *before = getenv("TMPDIR");
	char *kept = before ? strdup(before) : NULL;

	setenv("TMPDIR", folder, 1);
	return kept;
}

static void give_temporary_folder_back(char *before)
{
	if (before)
		setenv("TMPDIR", before, 1);
	else
		unsetenv("TMPDIR");
	free(before);
}

/* Of the two attempts one suffices; else both say why not. */
static bool build(struct added_file *file, bool for_judge, bool for_here)
{
	struct attempt judge = { .target = JUDGE, .tools = RISCV_TOOLS };
	struct attempt here = { .target = HERE, .tools = "" };
	bool judged, runs, good = true;
	char *before;

	if (!make_folder(file))
		return false;
	before = take_temporary_folder(file->folder);
	judged = for_judge && build_for(file, &judge);
	runs = for_here && build_for(file, &here);
	give_temporary_folder_back(before);
	if (judged)
		good = take_image(file, judge.result);
	if (runs)
		snprintf(file->library, sizeof(file->library), "%s", here.result);
	/* Assembly is for one machine, and an error of the other's assembler says nothing then. */
	if (judge.errors && (!runs || !strcmp(ending_of(file->path), "c")))
		fprintf(stderr, "harness: --add %s: not built for riscv64:\n%s\n", file->path,
			judge.errors);
	if (here.errors && (!judged || !strcmp(ending_of(file->path), "c")) &&
	    (!judge.errors || strcmp(here.errors, judge.errors) != 0))
		fprintf(stderr, "harness: --add %s: not built for this machine:\n%s\n", file->path,
			here.errors);
	good = good && (judged || runs);
	attempt_free(&judge);
	attempt_free(&here);
	return good;
}

/* For which machine an object or shared object is. */
static bool read_machine(const struct added_file *file, unsigned int type, unsigned int *machine)
{
	struct elf_file elf;
	size_t bytes;
	void *content = read_whole(file->path, &bytes);
	const char *wrong = content ? elf_open(&elf, content, bytes) : strerror(errno);

	free(content);
	if (!wrong && elf.head.e_type != type)
		wrong = type == ET_REL ? "it is no object file" : "it is no shared object";
	if (!wrong && elf.head.e_machine != EM_RISCV && elf.head.e_machine != MACHINE_HERE)
		wrong = "it is neither for riscv64 nor for this machine";
	if (wrong)
		return complain(file, wrong);
	*machine = elf.head.e_machine;
	return true;
}

static bool take_library(struct added_file *file)
{
	unsigned int machine;

	if (!read_machine(file, ET_DYN, &machine))
		return false;
	if (machine == MACHINE_HERE) {
		snprintf(file->library, sizeof(file->library), "%s", file->path);
		file->library_is_given = true;
	}
	return machine != EM_RISCV || take_image(file, file->path);
}

bool added_file_build(struct added_file *file, const char *path)
{
	const char *ending = ending_of(path);
	unsigned int machine;

	*file = (struct added_file){ .has_image = false };
	/* No name may look like an option, or like a file of options, to a compiler. */
	if ((size_t)snprintf(file->path, sizeof(file->path), "%s%s",
			     path[0] == '-' || path[0] == '@' ? "./" : "",
			     path) >= sizeof(file->path)) {
		file->path[64] = 0;
		return complain(file, strerror(ENAMETOOLONG));
	}
	if (strcmp(ending, "S") != 0 && strcmp(ending, "s") != 0 && strcmp(ending, "c") != 0 &&
	    strcmp(ending, "o") != 0 && strcmp(ending, "so") != 0)
		return complain(file, "its name must end in .S, .s, .c, .o or .so");
	if (access(path, R_OK) < 0)
		return complain(file, strerror(errno));
	if (!strcmp(ending, "so"))
		return take_library(file);
	if (strcmp(ending, "o") != 0)
		return build(file, true, MACHINE_HERE != EM_NONE);
	return read_machine(file, ET_REL, &machine) &&
	       build(file, machine == EM_RISCV, machine == MACHINE_HERE);
}

/* -- the end ------------------------------------------------------------------------------- */

void added_file_remove(struct added_file *file)
{
	DIR *folder = file->folder[0] ? opendir(file->folder) : NULL;
	struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
	rmdir(file->folder);
	file->folder[0] = 0;
}

void added_file_free(struct added_file *file)
{
	added_file_remove(file);
	if (file->has_image)
		rv64_image_free(&file->image);
	free(file->image_bytes);
	*file = (struct added_file){ .has_image = false };
}
