/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Capture: 24 bytes of head, then for each packet 16 and what was captured of it. */
#include "netbench/packet/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_BYTES     24
#define RECORD_BYTES   16
#define MAGIC_MICRO    0xa1b2c3d4
#define MAGIC_NANO     0xa1b23c4d
#define MAGIC_NEXT     0x0a0d0d0a /* pcapng, the same in both orders */
#define LINK_TYPE_MASK 0xffff	  /* above are bits about check sequences */
#define READ_BYTES     ((size_t)1 << 20)

/* A file's numbers are in the order of who wrote it, and lie anywhere. */
static uint32_t number(const struct capture *capture, size_t at)
{
	uint32_t value;

	memcpy(&value, capture->data + at, sizeof(value));
	return capture->is_swapped ? __builtin_bswap32(value) : value;
}

static int fail(struct capture *capture, const char *why)
{
	snprintf(capture->why, sizeof(capture->why), "%s", why);
	return -1;
}

/* -- into memory ---------------------------------------------------------------------------- */

static int read_all(struct capture *capture, int fd)
{
	uint8_t *data = NULL;
	size_t room = 0;
	ssize_t got;

	do {
		if (capture->bytes == room) {
			uint8_t *more = realloc(data, room += room + READ_BYTES);

			if (!more) {
				free(data);
				return fail(capture, "there is not enough memory for it");
			}
			data = more;
		}
		got = read(fd, data + capture->bytes, room - capture->bytes);
		if (got > 0)
			capture->bytes += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0) {
		fail(capture, strerror(errno));
		free(data);
		return -1;
	}
	capture->data = data;
	return 0;
}

static int load(struct capture *capture, int fd)
{
	struct stat file;
	void *mapped;

	if (fstat(fd, &file) || !S_ISREG(file.st_mode) || !file.st_size)
		return read_all(capture, fd);
	mapped = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (mapped == MAP_FAILED)
		return read_all(capture, fd);
	madvise(mapped, (size_t)file.st_size, MADV_SEQUENTIAL);
	capture->data = mapped;
	capture->bytes = (size_t)file.st_size;
	capture->is_mapped = true;
	return 0;
}

/* -- its head ------------------------------------------------------------------------------- */

static int read_head(struct capture *capture)
{
	uint32_t magic;

	if (capture->bytes < HEAD_BYTES)
		return fail(capture, capture->bytes ? "no capture file: it is shorter than a head"
						    : "no capture file: it is empty");
	magic = number(capture, 0);
	if (magic == MAGIC_NEXT)
		return fail(capture, "a pcapng file, and only pcap can be read here; `editcap -F "
				     "pcap` or `tshark -F pcap` writes one");
	if (magic != MAGIC_MICRO && magic != MAGIC_NANO) {
		capture->is_swapped = true;
		magic = number(capture, 0);
	}
	if (magic != MAGIC_MICRO && magic != MAGIC_NANO)
		return fail(capture, "no capture file: it does not begin like one");
	capture->ticks_per_s = magic == MAGIC_NANO ? 1000000000 : 1000000;
	capture->snaplen = number(capture, 16);
	capture->link_type = number(capture, 20) & LINK_TYPE_MASK;
	capture_rewind(capture);
	return 0;
}

int capture_open(struct capture *capture, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int status;

	*capture = (struct capture){ .data = NULL };
	if (fd < 0)
		return fail(capture, strerror(errno));
	status = load(capture, fd);
	if (!is_stdin)
		close(fd);
	if (status)
		return -1;
	status = read_head(capture);
	if (status)
		capture_close(capture);
	return status;
}

void capture_close(struct capture *capture)
{
	if (capture->is_mapped)
		munmap((void *)(uintptr_t)capture->data, capture->bytes);
	else
		free((void *)(uintptr_t)capture->data);
	capture->data = NULL;
}

/* -- its packets ---------------------------------------------------------------------------- */

void capture_rewind(struct capture *capture)
{
	capture->at = HEAD_BYTES;
	capture->packets = 0;
	capture->last_ticks = 0;
	capture->empty = capture->backwards = capture->more_than_wire =
		(struct capture_oddity){ .count = 0 };
	*capture->why = '\0';
}

static void note(const struct capture *capture, struct capture_oddity *oddity)
{
	if (!oddity->count++)
		oddity->first_packet = capture->packets + 1;
}

/* Ends it: what follows cannot be found any more. */
static bool breaks(struct capture *capture, const char *what, unsigned long long number_of_it)
{
	char text[96];

	snprintf(text, sizeof(text), what, number_of_it);
	snprintf(capture->why, sizeof(capture->why), "packet %llu, at byte %zu: %s",
		 (unsigned long long)capture->packets + 1, capture->at, text);
	return false;
}

static bool next(struct capture *capture, struct packet_input *input, uint64_t *ticks)
{
	size_t left = capture->bytes - capture->at;
	uint32_t captured, wire;
	uint64_t now;

	if (!left)
		return false;
	if (left < RECORD_BYTES)
		return breaks(capture, "the file ends in its head, %llu bytes before", left);
	captured = number(capture, capture->at + 8);
	wire = number(capture, capture->at + 12);
	if (captured > CAPTURE_PACKET_BYTES_MAX)
		return breaks(capture, "it says that %llu bytes were captured, above 262144",
			      captured);
	if (captured > left - RECORD_BYTES)
		return breaks(capture, "the file ends %llu bytes too early for it",
			      captured - (left - RECORD_BYTES));
	now = number(capture, capture->at) * capture->ticks_per_s +
	      number(capture, capture->at + 4);
	if (!captured)
		note(capture, &capture->empty);
	if (captured > wire)
		note(capture, &capture->more_than_wire);
	if (now < capture->last_ticks)
		note(capture, &capture->backwards);
	capture->last_ticks = now;
	if (ticks)
		*ticks = now;
	*input = (struct packet_input){ .data = capture->data + capture->at + RECORD_BYTES,
					.captured_bytes = captured,
					.wire_bytes = wire };
	capture->at += RECORD_BYTES + captured;
	capture->packets++;
	return true;
}

size_t capture_next(struct capture *capture, struct packet_input *inputs, uint64_t *ticks,
		    size_t count)
{
	size_t got = 0;

	while (got < count && next(capture, &inputs[got], ticks ? &ticks[got] : NULL))
		got++;
	return got;
}
