/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Result files: what is written is read back the same, and each kind of damage is found, where it
 * is.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/measure/result.h"
#include "harness/measure/schema.h"

/* A net result as harness net writes it: two tests, two columns. */
static const char whole[] =
	"{'schema': 'netbench/1', 'kind': 'net', 'name': 'local', 'source': 'harness 0.1.0',"
	" 'board': 'a board, 2 CPUs', 'unit': 'Mbit/s', 'partial': false,"
	" 'started': '2026-01-31T12:00:00Z', 'finished': '2026-01-31T12:01:00Z',"
	" 'columns': [{'id': 'iperf3', 'program': 'iperf3'},"
	"             {'id': 'libc', 'program': 'netbench', 'copy': 'libc'}],"
	" 'rows': [{'test': 'tcp-recv', 'mtu_board': 1500, 'mtu_peer': 1500, 'length': 0,"
	"           'rate_bits_per_s': 0, 'cells': [[941.5, 940.25], [900]],"
	"           'cpu_s_per_gb': [[0.5, 0.25], [1]], 'copy_ns_per_byte': [[], [0.5]],"
	"           'congestion': ['cubic', null],"
	"           'failed': [{'column': 'libc', 'run': 2, 'message': 'no data has arrived'}]},"
	"          {'test': 'udp-recv', 'mtu_board': 1500, 'mtu_peer': 1500, 'length': 1448,"
	"           'rate_bits_per_s': 1000000000, 'cells': [[700, 701], [702, 703]],"
	"           'loss': [[0, 1.5], [100, 0]]}],"
	" 'facts': {'machine': 'm', 'architecture': 'riscv64', 'cpu': 'c', 'cpus': 2,"
	"           'kernel': '6.12', 'distribution': 'd', 'governor': 'none',"
	"           'virtualization': 'none', 'load_1min': 0.25, 'busy_percent': 0,"
	"           'harness': '0.1.0', 'netbench': '0.1.0', 'iperf3': '3.18', 'path': 'veth',"
	"           'congestion': 'cubic', 'runs': 2, 'seconds': 2, 'omit': 0, 'seed': 7,"
	"           'board_cpu': 1, 'peer_cpu': 0, 'board_address': 'a', 'peer_address': 'b',"
	"           'command': 'harness net', 'more': [1]},"
	" 'notes': ['a note']}";

/* JSON with ' for ", to be read without so many backslashes. */
static json_t *parse(const char *text)
{
	json_error_t problem;
	char *json = strdup(text);
	json_t *root;

	assert_non_null(json);
	for (char *c = json; *c; c++)
		if (*c == '\'')
			*c = '"';
	root = json_loads(json, JSON_REJECT_DUPLICATES, &problem);
	if (!root)
		fail_msg("the test's own JSON: column %d: %s", problem.column, problem.text);
	free(json);
	return root;
}

struct problems {
	size_t count;
	char first_path[128];
	char text[4096];
};

static void collect(void *context, const char *path, const char *what)
{
	struct problems *problems = context;
	size_t used = strlen(problems->text);

	if (!problems->count++)
		snprintf(problems->first_path, sizeof(problems->first_path), "%s", path);
	snprintf(problems->text + used, sizeof(problems->text) - used, "%s: %s\n", path, what);
}

static struct problems check(json_t *root)
{
	struct problems problems = { 0 };

	size_t count = schema_check(root, collect, &problems);

	assert_int_equal(count, problems.count);
	return problems;
}

static void a_whole_result_is_valid_and_comes_back(void **state)
{
	json_t *root = parse(whole), *again;
	struct problems problems = check(root);
	struct result *result;
	struct reason reason;

	(void)state;
	if (problems.count)
		fail_msg("refused: %s", problems.text);
	result = result_from_json(root, &reason);
	assert_non_null(result);
	assert_int_equal(result->column_count, 2);
	assert_string_equal(result->columns[1].id, "libc");
	assert_int_equal(result->row_count, 2);
	assert_int_equal(result->rows[0].series[SERIES_CELLS][0].count, 2);
	assert_true(result->rows[0].series[SERIES_CELLS][0].values[1] == 940.25);
	assert_null(result->rows[0].series[SERIES_LOSS]);
	assert_true(result->rows[1].series[SERIES_LOSS][1].values[0] == 100);
	assert_int_equal(result->rows[0].series[SERIES_COPY_NS_PER_BYTE][0].count, 0);
	assert_string_equal(result_fact(result, "kernel"), "6.12");
	assert_string_equal(result_text(result, "unit"), "Mbit/s");
	assert_string_equal(result_row_text(&result->rows[1], "test"), "udp-recv");
	again = result_to_json(result);
	/* Whole numbers come back as reals, so they are compared as text of the same precision. */
	for (size_t row = 0; row < 2; row++) {
		json_t *before = json_array_get(json_object_get(root, "rows"), row);
		json_t *after = json_array_get(json_object_get(again, "rows"), row);
		const char *key;
		json_t *value;

		json_object_foreach (before, key, value)
			if (!json_object_get(after, key))
				fail_msg("rows[%zu].%s is gone", row, key);
	}
	assert_true(json_equal(json_object_get(root, "facts"), json_object_get(again, "facts")));
	assert_true(
		json_equal(json_object_get(root, "columns"), json_object_get(again, "columns")));
	problems = check(again);
	if (problems.count)
		fail_msg("what came back is refused: %s", problems.text);
	json_decref(again);
	json_decref(root);
	result_destroy(result);
}

static void a_file_comes_back(void **state)
{
	char path[] = "/tmp/test_result-XXXXXX", beside[64];
	json_t *root = parse(whole);
	struct result *result, *again;
	struct reason reason;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	result = result_from_json(root, &reason);
	assert_non_null(result);
	if (result_write(result, path, &reason))
		fail_msg("not written: %s", reason.text);
	snprintf(beside, sizeof(beside), "%s.new", path);
	assert_int_equal(access(beside, F_OK), -1);
	again = result_read(path, &reason);
	if (!again)
		fail_msg("not read: %s", reason.text);
	assert_true(again->rows[0].series[SERIES_CELLS][0].values[0] == 941.5);
	assert_true(again->rows[1].series[SERIES_LOSS][0].values[1] == 1.5);
	result_destroy(again);

	assert_int_equal(result_write(result, "/nonexistent/run.json", &reason), -1);
	assert_non_null(strstr(reason.text, "/nonexistent/run.json"));
	assert_null(result_read("/nonexistent/run.json", &reason));
	assert_int_equal(truncate(path, 100), 0);
	assert_null(result_read(path, &reason));
	assert_non_null(strstr(reason.text, "not JSON"));
	unlink(path);
	result_destroy(result);
	json_decref(root);
}

/* As root, a file that is moved to the name of a device takes the device's place. */
static void what_is_no_file_is_written_into(void **state)
{
	char folder[] = "/tmp/test_result-XXXXXX", link[64], target[64];
	json_t *root = parse(whole);
	struct result *result;
	struct reason reason;
	struct stat there;

	(void)state;
	result = result_from_json(root, &reason);
	assert_non_null(result);
	assert_non_null(mkdtemp(folder));
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(target, sizeof(target), "%s/target", folder);
	assert_int_equal(symlink(target, link), 0);
	if (result_write(result, link, &reason))
		fail_msg("%s", reason.text);
	assert_int_equal(lstat(link, &there), 0);
	assert_true(S_ISLNK(there.st_mode));
	assert_int_equal(lstat(target, &there), 0);
	assert_true(S_ISREG(there.st_mode) && there.st_size > 0);
	unlink(link);
	unlink(target);
	rmdir(folder);
	result_destroy(result);
	json_decref(root);
}

/* One damage each: the text at a place of the whole is replaced, and the place named. */
static const struct damage {
	const char *from, *to;
	const char *path; /* that is reported first */
} damages[] = {
	{ "'schema': 'netbench/1', ", "", "the file" },
	{ "'netbench/1'", "'netbench/2'", "schema" },
	{ "'netbench/1'", "1", "the file" },
	{ "'kind': 'net'", "'kind': 'nets'", "kind" },
	{ "'kind': 'net', ", "", "kind" },
	{ "'name': 'local'", "'name': ''", "name" },
	{ "'source': 'harness 0.1.0', ", "", "source" },
	{ "'unit': 'Mbit/s'", "'unit': 8", "unit" },
	{ "'partial': false", "'partial': 0", "partial" },
	{ "'partial': false,", "", "partial" },
	{ "'2026-01-31T12:00:00Z'", "'2026-01-31 12:00'", "started" },
	{ "'2026-01-31T12:01:00Z'", "'2026-01-31T12:0x:00Z'", "finished" },
	{ "'notes': ['a note']", "'notes': 'a note'", "notes" },
	{ "'notes': ['a note']", "'notes': ['a note', 7]", "notes[1]" },
	{ "'notes':", "'note':", "notes" },
	{ "'notes': ['a note']", "'notes': [], 'extra': 1", "extra" },
	{ "'notes': ['a note']", "'notes': [], 'samples': 'some'", "samples" },
	{ "{'id': 'iperf3', 'program': 'iperf3'}", "7", "columns[0]" },
	{ "'id': 'iperf3', ", "", "columns[0].id" },
	{ "'id': 'iperf3'", "'id': 'libc'", "columns[1].id" },
	{ "'copy': 'libc'", "'copy': ['libc']", "columns[1].copy" },
	{ "'test': 'tcp-recv', ", "", "rows[0].test" },
	{ "'test': 'tcp-recv'", "'test': 'tcp-up'", "rows[0].test" },
	{ "'test': 'tcp-recv'", "'test': 'udp-recv', 'key': 3", "rows[0].key" },
	{ "'mtu_peer': 1500, 'length': 0", "'length': 0", "rows[0].mtu_peer" },
	{ "'length': 1448", "'length': 1448.5", "rows[1].length" },
	{ "'length': 1448", "'length': -1", "rows[1].length" },
	{ "'cells': [[941.5, 940.25], [900]]", "'cells': [[941.5, 940.25]]", "rows[0].cells" },
	{ "[900]", "900", "rows[0].cells[1]" },
	{ "941.5", "'941.5'", "rows[0].cells[0][0]" },
	{ "940.25", "-940.25", "rows[0].cells[0][1]" },
	{ "940.25", "null", "rows[0].cells[0][1]" },
	{ "[0, 1.5]", "[0, 100.5]", "rows[1].loss[0][1]" },
	{ "[0, 1.5]", "[0]", "rows[1].loss[0]" },
	{ "[[0.5, 0.25], [1]]", "[[0.5, 0.25], [1, 1]]", "rows[0].cpu_s_per_gb[1]" },
	{ "['cubic', null]", "['cubic']", "rows[0].congestion" },
	{ "['cubic', null]", "['cubic', 7]", "rows[0].congestion[1]" },
	{ "'column': 'libc'", "'column': 'byte'", "rows[0].failed[0].column" },
	{ "'run': 2", "'run': 'two'", "rows[0].failed[0].run" },
	{ ", 'message': 'no data has arrived'", "", "rows[0].failed[0].message" },
	{ "{'column': 'libc', 'run': 2, 'message': 'no data has arrived'}", "1",
	  "rows[0].failed[0]" },
	{ "'cells': [[700", "'cell': [[700", "rows[1].cells" },
	{ "'test': 'udp-recv'", "'test': 'tcp-recv'", "rows[1]" },
	{ "'facts': {", "'facts': [], 'fact': {", "facts" },
	{ "'kernel': '6.12', ", "", "facts.kernel" },
	{ "'cpus': 2", "'cpus': '2'", "facts.cpus" },
	{ "'load_1min': 0.25", "'load_1min': -1", "facts.load_1min" },
	{ "'seed': 7", "'seed': 7.0", "facts.seed" },
};

static char *replace(const char *text, const char *from, const char *to)
{
	const char *place = strstr(text, from);
	char *changed;

	if (!place)
		fail_msg("the test's own text has no %s", from);
	changed = malloc(strlen(text) + strlen(to) + 1);
	assert_non_null(changed);
	sprintf(changed, "%.*s%s%s", (int)(place - text), text, to, place + strlen(from));
	return changed;
}

static void each_damage_is_found_where_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		char *text = replace(whole, damages[i].from, damages[i].to);
		json_t *root = parse(text);
		struct problems problems = check(root);

		if (!problems.count)
			fail_msg("accepted, with %s for %s", damages[i].to, damages[i].from);
		if (strcmp(problems.first_path, damages[i].path))
			fail_msg("with %s for %s: not %s first, but: %s", damages[i].to,
				 damages[i].from, damages[i].path, problems.text);
		json_decref(root);
		free(text);
	}
}

static void other_json_is_no_result(void **state)
{
	static const char *const others[] = { "[]", "{}", "[1, 2]", "{'schema': null}",
					      "{'rows': []}" };

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		json_t *root = parse(others[i]);
		struct problems problems = check(root);

		if (problems.count != 1 || !strstr(problems.text, "no result file"))
			fail_msg("%s: %s", others[i], problems.text);
		json_decref(root);
	}
}

static void samples_and_failures_are_added(void **state)
{
	struct result *result =
		result_create(json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:{}, s:[]}", "schema",
					RESULT_SCHEMA, "kind", "published", "name", "n", "source",
					"s", "board", "b", "unit", "u", "facts", "notes"));
	struct problems problems;
	json_t *root;

	(void)state;
	assert_non_null(result);
	assert_int_equal(result_add_column(result, json_pack("{s:s}", "id", "a")), 0);
	assert_int_equal(result_add_column(result, json_pack("{s:s}", "id", "b")), 0);
	assert_int_equal(result_add_row(result, json_pack("{s:s}", "key", "k"), 1u << SERIES_LOSS),
			 0);
	assert_int_equal(series_add(&result->rows[0].series[SERIES_CELLS][1], 0.1), 0);
	assert_int_equal(series_add(&result->rows[0].series[SERIES_CELLS][1], 54231.5), 0);
	assert_int_equal(result_add_failure(result, 0, 0, 3, "why"), 0);
	assert_int_equal(result_add_failure(result, 0, 1, 4, "no UTF-8: \xff"), 0);
	result_add_note(result, "a note");
	root = result_to_json(result);
	problems = check(root);
	if (problems.count)
		fail_msg("refused: %s", problems.text);
	assert_int_equal(json_array_size(json_object_get(
				 json_array_get(json_object_get(root, "rows"), 0), "failed")),
			 2);
	assert_int_equal(json_array_size(json_object_get(root, "notes")), 1);
	json_decref(root);
	result_destroy(result);
}

/* A series that a run can have and a file cannot would make every such file invalid. */
static void every_series_is_in_the_schema(void **state)
{
	(void)state;
	for (int i = 0; i < RESULT_SERIES; i++) {
		json_t *root = parse(whole),
		       *row = json_array_get(json_object_get(root, "rows"), 0);
		struct problems problems;

		json_object_set_new(row, result_series_name(i), parse("[[1, 2], [3]]"));
		problems = check(root);
		if (problems.count)
			fail_msg("%s", problems.text);
		json_object_set_new(row, result_series_name(i), parse("[[1, 2], [-3]]"));
		assert_int_equal(check(root).count, 1);
		json_decref(root);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_result_is_valid_and_comes_back),
		cmocka_unit_test(a_file_comes_back),
		cmocka_unit_test(what_is_no_file_is_written_into),
		cmocka_unit_test(each_damage_is_found_where_it_is),
		cmocka_unit_test(other_json_is_no_result),
		cmocka_unit_test(samples_and_failures_are_added),
		cmocka_unit_test(every_series_is_in_the_schema),
	};

	return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
