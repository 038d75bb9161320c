/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * SSH: words come out of the other machine's shell as they went in, whatever is in them; and what
 * an ssh that fails says reaches the user. The shell is a real one; the ssh is the real one too,
 * which finds nobody.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/host/ssh.h"
#include "harness/measure/interrupt.h"

/* What `printf '%s\n' WORDS` prints when a shell reads the joined words; to be freed. */
static char *through_a_shell(const char *const *words)
{
	char *command = ssh_join(words), *text = NULL;
	size_t size = 0;
	FILE *shell;

	assert_non_null(command);
	shell = popen(command, "r");
	assert_non_null(shell);
	if (getdelim(&text, &size, '\0', shell) < 0)
		fail_msg("nothing came of: %s", command);
	assert_int_equal(pclose(shell), 0);
	free(command);
	return text;
}

static void test_words_stay_as_they_are(void **state)
{
	static const char *const odd[] = { "plain",	   "two words", "",	   "'",	    "it's",
					   "''",	   "\"$HOME\"", "`id`",	   "$(id)", "\\",
					   "\\'\\",	   "*",		"a\nb",	   "!x",    "-n",
					   "~root",	   "a;b&c|d",	"\t \t",   "#no",   "{a,b}",
					   "\xc3\xa9\xff", "a=b",	"'$(id)'", NULL };

	(void)state;
	for (size_t i = 0; odd[i]; i++) {
		const char *const words[] = { "printf", "%s\\n", odd[i], "end", NULL };
		char *text = through_a_shell(words), wanted[64];

		snprintf(wanted, sizeof(wanted), "%s\nend\n", odd[i]);
		assert_string_equal(text, wanted);
		free(text);
	}
}

static void test_every_byte_is_quoted(void **state)
{
	char all[256], wanted[sizeof(all) + 1];
	const char *const words[] = { "printf", "%s\\n", all, NULL };
	char *text;

	(void)state;
	for (int byte = 1; byte < 256; byte++)
		all[byte - 1] = (char)byte;
	all[255] = '\0';
	snprintf(wanted, sizeof(wanted), "%s\n", all);
	text = through_a_shell(words);
	assert_string_equal(text, wanted);
	free(text);
}

static void test_no_words(void **state)
{
	const char *const none[] = { NULL };
	char *text = ssh_join(none);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

/* Nothing listens at port 1 of loopback. */
static void test_nobody_is_there(void **state)
{
	const struct ssh_options options = { .destination = "127.0.0.1",
					     .port = 1,
					     .key = "/dev/null" };
	struct reason reason = { "" };

	(void)state;
	assert_null(ssh_open(&options, 20, &reason));
	if (strncmp(reason.text, "ssh 127.0.0.1: ", strlen("ssh 127.0.0.1: ")) ||
	    !strstr(reason.text, "port 1"))
		fail_msg("it says: %s", reason.text);
}

static void test_a_destination_is_no_option(void **state)
{
	const struct ssh_options options = { .destination = "-V" };
	struct reason reason = { "" };

	(void)state;
	assert_null(ssh_open(&options, 20, &reason));
	assert_true(!strncmp(reason.text, "ssh -V: ", strlen("ssh -V: ")));
	assert_null(strstr(reason.text, "OpenSSH"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_stay_as_they_are),
		cmocka_unit_test(test_every_byte_is_quoted),
		cmocka_unit_test(test_no_words),
		cmocka_unit_test(test_nobody_is_there),
		cmocka_unit_test(test_a_destination_is_no_option),
	};

	if (interrupt_open())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
