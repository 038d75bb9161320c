/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The bytes of the iperf3 protocol: states, cookie, length-prefixed messages, datagrams.
 *
 * Nothing here touches a socket. Readers take what arrived, in pieces of any size, and say whether
 * something is complete; all integers are big-endian on the wire.
 */
#ifndef NETBENCH_IPERF3_WIRE_H
#define NETBENCH_IPERF3_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One signed byte on the control connection. */
enum wire_state {
	WIRE_TEST_START = 1,
	WIRE_TEST_RUNNING = 2,
	WIRE_TEST_END = 4,
	WIRE_PARAM_EXCHANGE = 9,
	WIRE_CREATE_STREAMS = 10,
	WIRE_SERVER_TERMINATE = 11,
	WIRE_CLIENT_TERMINATE = 12,
	WIRE_EXCHANGE_RESULTS = 13,
	WIRE_DISPLAY_RESULTS = 14,
	WIRE_IPERF_DONE = 16,
	WIRE_ACCESS_DENIED = -1,
	WIRE_SERVER_ERROR = -2,
};

#define WIRE_COOKIE_BYTES     37   /* 36 characters and a NUL */
#define WIRE_PARAMETERS_BYTES 8192 /* the longest parameters, as stock servers have it */
#define WIRE_LENGTH_BYTES     4
#define WIRE_ERROR_BYTES      9 /* state, error number of iperf3, errno */

static inline void wire_put_u32(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 24);
	at[1] = (uint8_t)(value >> 16);
	at[2] = (uint8_t)(value >> 8);
	at[3] = (uint8_t)value;
}

static inline uint32_t wire_get_u32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* -- datagrams of a UDP stream ------------------------------------------------------------- */

/** What each datagram begins with; the sequence counts from 1. */
struct wire_datagram {
	uint32_t seconds; /* when it was sent, by the sender's clock */
	uint32_t microseconds;
	uint64_t sequence; /* 32 bits on the wire unless udp_counters_64bit */
};

static inline size_t wire_datagram_header_bytes(bool counters_64bit)
{
	return counters_64bit ? 16 : 12;
}

/** Writes a header of wire_datagram_header_bytes() to an address of any alignment. */
static inline void wire_put_datagram(void *at, const struct wire_datagram *datagram,
				     bool counters_64bit)
{
	uint8_t *byte = at;

	wire_put_u32(byte, datagram->seconds);
	wire_put_u32(byte + 4, datagram->microseconds);
	if (counters_64bit) {
		wire_put_u32(byte + 8, (uint32_t)(datagram->sequence >> 32));
		byte += 4;
	}
	wire_put_u32(byte + 8, (uint32_t)datagram->sequence);
}

/** Reads a header; false: the datagram is shorter than that, nothing was read. */
static inline bool wire_get_datagram(const void *at, size_t bytes, bool counters_64bit,
				     struct wire_datagram *datagram)
{
	const uint8_t *byte = at;

	if (bytes < wire_datagram_header_bytes(counters_64bit))
		return false;
	datagram->seconds = wire_get_u32(byte);
	datagram->microseconds = wire_get_u32(byte + 4);
	datagram->sequence = wire_get_u32(byte + 8);
	if (counters_64bit)
		datagram->sequence = datagram->sequence << 32 | wire_get_u32(byte + 12);
	return true;
}

/* -- opening a UDP stream ------------------------------------------------------------------ */

#define WIRE_HELLO_BYTES 4

/** Is this whole datagram a client's hello? ASCII "9876", or 15 cd 5b 07 up to version 3.11. */
bool wire_is_hello(const void *datagram, size_t bytes);

/** The answer to a hello, WIRE_HELLO_BYTES long: "6789". To be sent exactly once. */
extern const uint8_t wire_hello_answer[WIRE_HELLO_BYTES];

/* -- length-prefixed messages -------------------------------------------------------------- */

enum wire_progress {
	WIRE_MORE,     /* all was taken; the message goes on */
	WIRE_COMPLETE, /* the message is complete; what follows it was not taken */
	WIRE_TOO_LONG, /* the announced length is beyond what the reader has room for */
	WIRE_EMPTY,    /* the announced length is zero */
};

/**
 * Reads one message: a 32-bit length, then so many bytes of text. The length is judged as soon as
 * its four bytes are there, so nothing is ever waited for that would not fit.
 */
struct wire_message {
	char *text;	    /* the caller's, room_bytes + 1 long; NUL-terminated once complete */
	size_t room_bytes;  /* the longest text that is accepted */
	size_t text_bytes;  /* announced */
	size_t taken_bytes; /* of length and text */
	uint8_t length[WIRE_LENGTH_BYTES];
};

/** Begins a message in text[0 .. room_bytes], which stays the caller's. */
void wire_message_begin(struct wire_message *message, char *text, size_t room_bytes);

/**
 * Takes from data[0 .. bytes) what belongs to the message and says in *used how much that was.
 * Once it was complete, empty or too long, a message takes no more and the answer stays the same.
 */
enum wire_progress wire_message_take(struct wire_message *message, const void *data, size_t bytes,
				     size_t *used);

/** How many bytes a reader may ask the kernel for without taking what follows; 0: complete. */
size_t wire_message_wants(const struct wire_message *message);

/** Fills at[0 .. WIRE_ERROR_BYTES): WIRE_SERVER_ERROR with iperf3's error number and an errno. */
void wire_put_error(uint8_t *at, uint32_t iperf3_error, uint32_t system_errno);

/** A state's name for logs: "TEST_RUNNING"; "?" for a byte that is none. */
const char *wire_state_name(int state);

#endif
