/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The bytes of the iperf3 protocol. See wire.h; what can be wrong in a peer's bytes is judged here,
 * what it means for the connection is session.c's.
 */
#include "netbench/iperf3/wire.h"

#include <string.h>

const uint8_t wire_hello_answer[WIRE_HELLO_BYTES] = { '6', '7', '8', '9' };

bool wire_is_hello(const void *datagram, size_t bytes)
{
	static const uint8_t hellos[][WIRE_HELLO_BYTES] = {
		{ '9', '8', '7', '6' },
		{ 0x15, 0xcd, 0x5b, 0x07 }, /* 123456789 of a little-endian client */
		{ 0x07, 0x5b, 0xcd, 0x15 }, /* and of a big-endian one */
	};

	if (bytes != WIRE_HELLO_BYTES)
		return false;
	for (size_t i = 0; i < sizeof(hellos) / sizeof(hellos[0]); i++)
		if (memcmp(datagram, hellos[i], WIRE_HELLO_BYTES) == 0)
			return true;
	return false;
}

void wire_message_begin(struct wire_message *message, char *text, size_t room_bytes)
{
	memset(message, 0, sizeof(*message));
	message->text = text;
	message->room_bytes = room_bytes;
}

size_t wire_message_wants(const struct wire_message *message)
{
	if (message->taken_bytes < WIRE_LENGTH_BYTES)
		return WIRE_LENGTH_BYTES - message->taken_bytes;
	return WIRE_LENGTH_BYTES + message->text_bytes - message->taken_bytes;
}

enum wire_progress wire_message_take(struct wire_message *message, const void *data, size_t bytes,
				     size_t *used)
{
	const uint8_t *byte = data;

	*used = 0;
	while (message->taken_bytes < WIRE_LENGTH_BYTES) {
		if (*used == bytes)
			return WIRE_MORE;
		message->length[message->taken_bytes++] = byte[(*used)++];
		if (message->taken_bytes == WIRE_LENGTH_BYTES)
			message->text_bytes = wire_get_u32(message->length);
	}
	if (message->text_bytes > message->room_bytes)
		return WIRE_TOO_LONG;
	if (message->text_bytes == 0)
		return WIRE_EMPTY;

	size_t part = wire_message_wants(message);

	if (part > bytes - *used)
		part = bytes - *used;
	memcpy(message->text + message->taken_bytes - WIRE_LENGTH_BYTES, byte + *used, part);
	message->taken_bytes += part;
	*used += part;
	if (wire_message_wants(message) > 0)
		return WIRE_MORE;
	message->text[message->text_bytes] = '\0';
	return WIRE_COMPLETE;
}

void wire_put_error(uint8_t *at, uint32_t iperf3_error, uint32_t system_errno)
{
	at[0] = (uint8_t)WIRE_SERVER_ERROR;
	wire_put_u32(at + 1, iperf3_error);
	wire_put_u32(at + 5, system_errno);
}

const char *wire_state_name(int state)
{
	static const struct {
		int state;
		const char *name;
	} names[] = {
		{ WIRE_TEST_START, "TEST_START" },
		{ WIRE_TEST_RUNNING, "TEST_RUNNING" },
		{ WIRE_TEST_END, "TEST_END" },
		{ WIRE_PARAM_EXCHANGE, "PARAM_EXCHANGE" },
		{ WIRE_CREATE_STREAMS, "CREATE_STREAMS" },
		{ WIRE_SERVER_TERMINATE, "SERVER_TERMINATE" },
		{ WIRE_CLIENT_TERMINATE, "CLIENT_TERMINATE" },
		{ WIRE_EXCHANGE_RESULTS, "EXCHANGE_RESULTS" },
		{ WIRE_DISPLAY_RESULTS, "DISPLAY_RESULTS" },
		{ WIRE_IPERF_DONE, "IPERF_DONE" },
		{ WIRE_ACCESS_DENIED, "ACCESS_DENIED" },
		{ WIRE_SERVER_ERROR, "SERVER_ERROR" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].state == state)
			return names[i].name;
	return "?";
}
