/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Copied: what copy routines are used for where loads in place would be misaligned. */
#include "netbench/packet/packet.h"

#define REGION_ALIGNMENT 64

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void packet_parse_copied(enum packet_link link, const struct packet_input *input,
			 packet_copy_fn *copy, struct packet *packet)
{
	_Alignas(REGION_ALIGNMENT) uint8_t region[PACKET_REGION_BYTES];
	uint32_t here = smaller(input->captured_bytes, input->wire_bytes);
	const struct packet_input copied = { .data = region,
					     .captured_bytes = smaller(here, sizeof(region)),
					     .wire_bytes = input->wire_bytes };

	copy(region, input->data, copied.captured_bytes);
	packet_parse(link, &copied, packet);
	if (packet->verdict == PACKET_TRUNCATED && copied.captured_bytes < here) {
		packet_parse(link, input, packet);
		return;
	}
	packet->payload_captured = smaller(packet->payload_bytes, here - packet->payload_offset);
}
