/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The reader of capture files: both byte orders and units of time, files cut at every byte, numbers
 * that cannot be, and oddities that may.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "netbench/packet/capture.h"

#define MICRO 0xa1b2c3d4
#define NANO  0xa1b23c4d

struct file {
	bool is_swapped;
	size_t bytes;
	uint8_t data[4096];
};

static void put_32(struct file *file, uint32_t value)
{
	if (file->is_swapped)
		value = __builtin_bswap32(value);
	memcpy(file->data + file->bytes, &value, sizeof(value));
	file->bytes += sizeof(value);
}

static void begin(struct file *file, uint32_t magic, bool is_swapped, uint32_t link_type)
{
	*file = (struct file){ .is_swapped = is_swapped };
	put_32(file, magic);
	put_32(file,
	       is_swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ? 0x00020004 : 0x00040002);
	put_32(file, 0);
	put_32(file, 0);
	put_32(file, 65535);
	put_32(file, link_type);
}

static void add(struct file *file, uint32_t seconds, uint32_t ticks, uint32_t captured,
		uint32_t wire)
{
	put_32(file, seconds);
	put_32(file, ticks);
	put_32(file, captured);
	put_32(file, wire);
	memset(file->data + file->bytes, (int)captured, captured);
	file->bytes += captured;
}

static int open_file(const struct file *file, size_t bytes, struct capture *capture)
{
	char path[] = "/tmp/netbench-capture-XXXXXX";
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, file->data, bytes), bytes);
	close(fd);
	status = capture_open(capture, path);
	unlink(path);
	return status;
}

static void every_kind_is_read(void **state)
{
	static struct file file;
	struct packet_input inputs[4];
	struct capture capture;
	uint64_t ticks[4];

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		begin(&file, kind & 1 ? NANO : MICRO, kind & 2, 1 | 0xf0000000);
		add(&file, 7, 5, 3, 60);
		add(&file, 8, 0, 61, 61);
		add(&file, 8, 1, 1, 1);
		assert_int_equal(open_file(&file, file.bytes, &capture), 0);
		assert_int_equal(capture.link_type, 1);
		assert_int_equal(capture.snaplen, 65535);
		assert_int_equal(capture.ticks_per_s, kind & 1 ? 1000000000 : 1000000);
		for (int turn = 0; turn < 2; turn++) {
			assert_int_equal(capture_next(&capture, inputs, ticks, 2), 2);
			assert_int_equal(inputs[0].captured_bytes, 3);
			assert_int_equal(inputs[0].wire_bytes, 60);
			assert_int_equal(inputs[0].data[2], 3);
			assert_int_equal(inputs[1].data[60], 61);
			assert_int_equal(ticks[0], 7 * capture.ticks_per_s + 5);
			assert_int_equal(capture_next(&capture, inputs, NULL, 4), 1);
			assert_int_equal(inputs[0].captured_bytes, 1);
			assert_int_equal(capture_next(&capture, inputs, ticks, 4), 0);
			assert_string_equal(capture.why, "");
			assert_int_equal(capture.packets, 3);
			assert_int_equal(capture.backwards.count, 0);
			capture_rewind(&capture);
		}
		capture_close(&capture);
	}
}

static void a_file_may_be_cut_anywhere(void **state)
{
	static struct file file;
	struct packet_input inputs[4];
	struct capture capture;
	size_t ends[3];

	(void)state;
	begin(&file, MICRO, false, 101);
	for (int i = 0; i < 3; i++) {
		ends[i] = file.bytes;
		if (i < 2)
			add(&file, 1, 0, 20, 20);
	}
	for (size_t bytes = 0; bytes <= file.bytes; bytes++) {
		size_t whole = 0, got;
		bool at_an_end = false;

		if (bytes < ends[0]) {
			assert_int_equal(open_file(&file, bytes, &capture), -1);
			assert_non_null(strstr(capture.why, "no capture file"));
			continue;
		}
		for (int i = 0; i < 3; i++) {
			whole += i && bytes >= ends[i];
			at_an_end |= bytes == ends[i];
		}
		assert_int_equal(open_file(&file, bytes, &capture), 0);
		got = capture_next(&capture, inputs, NULL, 4);
		assert_int_equal(got, whole);
		assert_int_equal(!*capture.why, at_an_end);
		if (!at_an_end) {
			char place[64];

			snprintf(place, sizeof(place), "packet %zu, at byte %zu", whole + 1,
				 ends[whole]);
			assert_non_null(strstr(capture.why, place));
		}
		capture_close(&capture);
	}
}

static void numbers_that_cannot_be(void **state)
{
	static struct file file;
	struct packet_input inputs[4];
	struct capture capture;

	(void)state;
	for (int i = 0; i < 3; i++) {
		static const uint32_t captured[] = { CAPTURE_PACKET_BYTES_MAX + 1, UINT32_MAX,
						     0x80000000 };

		begin(&file, MICRO, false, 1);
		add(&file, 1, 0, 20, 20);
		add(&file, 1, 0, 0, 0);
		file.bytes -= 8;
		put_32(&file, captured[i]);
		put_32(&file, 60);
		assert_int_equal(open_file(&file, file.bytes, &capture), 0);
		assert_int_equal(capture_next(&capture, inputs, NULL, 4), 1);
		assert_non_null(strstr(capture.why, "packet 2, at byte 60"));
		assert_non_null(strstr(capture.why, "above 262144"));
		assert_int_equal(capture_next(&capture, inputs, NULL, 4), 0);
		capture_close(&capture);
	}
}

static void oddities_are_counted(void **state)
{
	static struct file file;
	struct packet_input inputs[8];
	struct capture capture;

	(void)state;
	begin(&file, MICRO, false, 1);
	add(&file, 5, 0, 20, 20);
	add(&file, 4, 999999, 20, 20);
	add(&file, 5, 0, 60, 28);
	add(&file, 5, 0, 0, 0);
	add(&file, 5, 0, 0, 60);
	add(&file, 4, 0, 2, 1);
	assert_int_equal(open_file(&file, file.bytes, &capture), 0);
	assert_int_equal(capture_next(&capture, inputs, NULL, 8), 6);
	assert_string_equal(capture.why, "");
	assert_int_equal(capture.backwards.count, 2);
	assert_int_equal(capture.backwards.first_packet, 2);
	assert_int_equal(capture.more_than_wire.count, 2);
	assert_int_equal(capture.more_than_wire.first_packet, 3);
	assert_int_equal(capture.empty.count, 2);
	assert_int_equal(capture.empty.first_packet, 4);
	capture_close(&capture);
}

static void what_is_no_pcap_is_named(void **state)
{
	static struct file file;
	struct capture capture;

	(void)state;
	begin(&file, 0x0a0d0d0a, false, 1);
	assert_int_equal(open_file(&file, file.bytes, &capture), -1);
	assert_non_null(strstr(capture.why, "pcapng"));
	begin(&file, 0xa1b2c3d5, false, 1);
	assert_int_equal(open_file(&file, file.bytes, &capture), -1);
	assert_non_null(strstr(capture.why, "does not begin like one"));
	assert_int_equal(capture_open(&capture, "/nonexistent/capture"), -1);
	assert_non_null(strstr(capture.why, "No such file"));
	assert_int_equal(capture_open(&capture, "/tmp"), -1);
	assert_non_null(strstr(capture.why, "Is a directory"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_read),
		cmocka_unit_test(a_file_may_be_cut_anywhere),
		cmocka_unit_test(numbers_that_cannot_be),
		cmocka_unit_test(oddities_are_counted),
		cmocka_unit_test(what_is_no_pcap_is_named),
	};

	return cmocka_run_group_tests_name("capture", tests, NULL, NULL);
}
