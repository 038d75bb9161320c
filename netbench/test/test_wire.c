/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The bytes of the iperf3 protocol: framing in pieces of any size, datagrams, hellos, errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "netbench/iperf3/wire.h"

#define ROOM 64

static const uint8_t framed[] = "\x00\x00\x00\x07{\"a\":1}next";
#define FRAMED_BYTES 11 /* of length and text */

/* -- messages ------------------------------------------------------------------------------ */

static struct wire_message begin(char *text)
{
	struct wire_message message;

	memset(text, '#', ROOM + 2);
	wire_message_begin(&message, text, ROOM);
	return message;
}

/** Whatever two cuts the network makes, the message is the same and nothing behind it is taken. */
static void message_split_anywhere(void **state)
{
	(void)state;
	for (size_t first = 0; first <= FRAMED_BYTES; first++)
		for (size_t second = first; second <= FRAMED_BYTES; second++) {
			const size_t cuts[] = { 0, first, second, sizeof(framed) - 1 };
			char text[ROOM + 2];
			struct wire_message message = begin(text);
			enum wire_progress progress = WIRE_MORE;
			size_t taken = 0;

			for (int i = 0; i < 3 && progress == WIRE_MORE; i++) {
				size_t used = 99;

				progress = wire_message_take(&message, framed + cuts[i],
							     cuts[i + 1] - cuts[i], &used);
				taken += used;
			}
			if (progress != WIRE_COMPLETE || taken != FRAMED_BYTES ||
			    strcmp(text, "{\"a\":1}") != 0)
				fail_msg("cut at %zu and %zu: progress %d, %zu bytes taken, \"%.*s\"",
					 first, second, progress, taken, 8, text);
		}
}

/** A reader that asks for exactly what is wanted never has bytes of what follows. */
static void message_wants_exactly(void **state)
{
	char text[ROOM + 2];
	struct wire_message message = begin(text);
	size_t used;

	(void)state;
	assert_int_equal(wire_message_wants(&message), 4);
	assert_int_equal(wire_message_take(&message, framed, 3, &used), WIRE_MORE);
	assert_int_equal(wire_message_wants(&message), 1);
	assert_int_equal(wire_message_take(&message, framed + 3, 1, &used), WIRE_MORE);
	assert_int_equal(wire_message_wants(&message), 7);
	assert_int_equal(wire_message_take(&message, framed + 4, 7, &used), WIRE_COMPLETE);
	assert_int_equal(wire_message_wants(&message), 0);
	assert_int_equal(wire_message_take(&message, framed + 11, 4, &used), WIRE_COMPLETE);
	assert_int_equal(used, 0);
}

/** A text that fills the room is taken, and what is behind the room is not touched. */
static void message_fills_its_room(void **state)
{
	uint8_t data[4 + ROOM] = { 0, 0, 0, ROOM };
	char text[ROOM + 2];
	struct wire_message message = begin(text);
	size_t used;

	(void)state;
	memset(data + 4, 'x', ROOM);
	assert_int_equal(wire_message_take(&message, data, sizeof(data), &used), WIRE_COMPLETE);
	assert_int_equal(used, sizeof(data));
	assert_int_equal(strlen(text), ROOM);
	assert_int_equal(text[ROOM + 1], '#');
}

static void message_lengths_are_judged_at_once(void **state)
{
	static const struct {
		uint8_t length[4];
		enum wire_progress progress;
	} rows[] = {
		{ { 0, 0, 0, 0 }, WIRE_EMPTY },
		{ { 0, 0, 0, ROOM }, WIRE_MORE },
		{ { 0, 0, 0, ROOM + 1 }, WIRE_TOO_LONG },
		{ { 0x7f, 0xff, 0xff, 0xff }, WIRE_TOO_LONG },
		{ { 0x80, 0, 0, 0 }, WIRE_TOO_LONG },
		{ { 0xff, 0xff, 0xff, 0xff }, WIRE_TOO_LONG },
		{ { 'G', 'E', 'T', ' ' }, WIRE_TOO_LONG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[ROOM + 2];
		struct wire_message message = begin(text);
		enum wire_progress progress = WIRE_MORE;
		size_t used = 1;

		for (int j = 0; j < 4; j++)
			progress = wire_message_take(&message, &rows[i].length[j], 1, &used);
		if (progress != rows[i].progress)
			fail_msg("length %02x %02x %02x %02x: progress %d, not %d",
				 rows[i].length[0], rows[i].length[1], rows[i].length[2],
				 rows[i].length[3], progress, rows[i].progress);
	}
}

/** One that was judged stays so and takes no more, whatever comes. */
static void message_stays_refused(void **state)
{
	static const uint8_t refused[] = "\x80\x00\x00\x00garbage";
	char text[ROOM + 2];
	struct wire_message message = begin(text);
	size_t used;

	(void)state;
	assert_int_equal(wire_message_take(&message, refused, 11, &used), WIRE_TOO_LONG);
	assert_int_equal(used, 4);
	assert_int_equal(wire_message_take(&message, refused + 4, 7, &used), WIRE_TOO_LONG);
	assert_int_equal(used, 0);
	assert_int_equal(text[0], '#');
}

/* -- datagrams ----------------------------------------------------------------------------- */

static void datagram_bytes(void **state)
{
	static const uint8_t narrow[] = { 1, 2, 3, 4, 0, 0x0f, 0x42, 0x3f, 0xfe, 0xdc, 0xba, 0x98 };
	static const uint8_t wide[] = { 1, 2,	 3,    4,    0,	   0x0f, 0x42, 0x3f,
					1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };
	struct wire_datagram datagram;
	uint8_t written[17];

	(void)state;
	assert_true(wire_get_datagram(narrow, sizeof(narrow), false, &datagram));
	assert_int_equal(datagram.seconds, 0x01020304);
	assert_int_equal(datagram.microseconds, 999999);
	assert_int_equal(datagram.sequence, 0xfedcba98);
	written[12] = '#';
	wire_put_datagram(written, &datagram, false);
	assert_memory_equal(written, narrow, sizeof(narrow));
	assert_int_equal(written[12], '#');

	assert_true(wire_get_datagram(wide, sizeof(wide), true, &datagram));
	assert_true(datagram.sequence == UINT64_C(0x0123456789abcdef));
	/* One off, so that no access may need alignment. */
	wire_put_datagram(written + 1, &datagram, true);
	assert_memory_equal(written + 1, wide, sizeof(wide));
}

static void datagram_too_short(void **state)
{
	static const uint8_t zeros[16];
	struct wire_datagram datagram;

	(void)state;
	for (size_t bytes = 0; bytes <= 16; bytes++)
		for (int wide = 0; wide < 2; wide++)
			if (wire_get_datagram(zeros, bytes, wide, &datagram) !=
			    (bytes >= (wide ? 16 : 12)))
				fail_msg("%zu bytes, %d-bit counters: wrongly judged", bytes,
					 wide ? 64 : 32);
}

static void hellos(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		bool hello;
	} rows[] = {
		{ "9876", 4, true },	 { "\x15\xcd\x5b\x07", 4, true },
		{ "6789", 4, false },	 { "\x07\x5b\xcd\x15", 4, true },
		{ "98765", 5, false },	 { "987", 3, false },
		{ "", 0, false },	 { "\0\0\0\0", 4, false },
		{ "9877", 4, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (wire_is_hello(rows[i].bytes, rows[i].count) != rows[i].hello)
			fail_msg("row %zu, %zu bytes \"%s\": wrongly judged", i, rows[i].count,
				 rows[i].bytes);
	assert_memory_equal(wire_hello_answer, "6789", 4);
}

/* -- states -------------------------------------------------------------------------------- */

static void error_bytes(void **state)
{
	static const uint8_t expected[] = { 0xfe, 0, 0, 0, 141, 0, 0, 0, 24 };
	uint8_t error[WIRE_ERROR_BYTES];

	(void)state;
	wire_put_error(error, 141, 24);
	assert_memory_equal(error, expected, sizeof(expected));
}

static void state_names(void **state)
{
	(void)state;
	assert_string_equal(wire_state_name(1), "TEST_START");
	assert_string_equal(wire_state_name(13), "EXCHANGE_RESULTS");
	assert_string_equal(wire_state_name(-1), "ACCESS_DENIED");
	assert_string_equal(wire_state_name(-2), "SERVER_ERROR");
	assert_string_equal(wire_state_name(3), "?");
	assert_string_equal(wire_state_name(254), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_split_anywhere),
		cmocka_unit_test(message_wants_exactly),
		cmocka_unit_test(message_fills_its_room),
		cmocka_unit_test(message_lengths_are_judged_at_once),
		cmocka_unit_test(message_stays_refused),
		cmocka_unit_test(datagram_bytes),
		cmocka_unit_test(datagram_too_short),
		cmocka_unit_test(hellos),
		cmocka_unit_test(error_bytes),
		cmocka_unit_test(state_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
