/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Fuzzing the packet parser. The input's first four bytes choose the link, how much of the wire's
 * length was captured, and the alignment; the rest is the packet, in a buffer of exactly that size.
 * Beside what the sanitizers see, all ways through it must say the same. For libFuzzer and, as its
 * persistent mode takes the same function, AFL++ (afl-clang-fast -fsanitize=fuzzer).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "netbench/packet/packet.h"
#include "netbench/packet/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool it_is)
{
	if (!it_is)
		abort();
}

static void check(enum packet_link link, const struct packet_input *input)
{
	struct packet_layer layers[PACKET_LAYERS_MAX], other_layers[PACKET_LAYERS_MAX];
	struct packet packet, other;
	uint32_t at = 0;

	walk_layers(link, input, &packet, layers, ACCESS_BYTES);
	walk_layers(link, input, &other, other_layers, ACCESS_HALVES);
	must(!memcmp(&packet, &other, sizeof(packet)));
	must(!memcmp(layers, other_layers, packet.layer_count * sizeof(layers[0])));
	packet_parse(link, input, &other);
	must(!memcmp(&packet, &other, sizeof(packet)));
	packet_parse_copied(link, input, memcpy, &other);
	must(!memcmp(&packet, &other, sizeof(packet)));

	must(packet.layer_count <= PACKET_LAYERS_MAX && packet.reason < PACKET_REASONS);
	for (unsigned int i = 0; i < packet.layer_count; i++) {
		must(layers[i].offset == at && layers[i].bytes > 0);
		must(packet.layers >> layers[i].kind & 1);
		at += layers[i].bytes;
	}
	must(packet.payload_offset == at && at <= input->captured_bytes);
	must(at + packet.payload_captured <= input->captured_bytes);
	must(at + packet.payload_bytes <= input->wire_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct packet_input input;
	uint8_t *buffer;
	size_t offset;

	if (size < 4)
		return 0;
	offset = data[1] & 7;
	buffer = malloc(size - 4 + offset + 1);
	if (!buffer)
		return 0;
	/* The last byte of the buffer is the packet's last. */
	memcpy(buffer + offset + 1, data + 4, size - 4);
	input = (struct packet_input){
		.data = buffer + offset + 1,
		.captured_bytes = (uint32_t)size - 4,
		.wire_bytes = (uint32_t)size - 4 + (data[1] & 8 ? data[2] << 4 : 0) -
			      (data[1] & 16 ? (uint32_t)(data[3] % (size - 3)) : 0)
	};
	check((enum packet_link)(data[0] % PACKET_LINKS), &input);
	free(buffer);
	return 0;
}
