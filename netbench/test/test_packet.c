/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packet parser against packets of the builder, which knows where it put each header: as a
 * whole, cut at every length in a buffer of exactly that size, at odd addresses, by the fast path
 * and the general one, and damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "copylib/copylib.h"
#include "netbench/packet/packet.h"
#include "netbench/packet/walk.h"
#include "netbench/test/packet_builder.h"

/* Every header, behind whatever may be before it. */
static const struct {
	const char *recipe;
	enum packet_reason reason;
} whole[] = {
	{ "E4T", PACKET_COMPLETE },	    { "E4t", PACKET_COMPLETE },
	{ "E4u", PACKET_COMPLETE },	    { "E4U", PACKET_COMPLETE },
	{ "Eot", PACKET_COMPLETE },	    { "EoU", PACKET_COMPLETE },
	{ "E4C", PACKET_COMPLETE },	    { "E4I", PACKET_COMPLETE },
	{ "E4i4T", PACKET_COMPLETE },	    { "E4ioU", PACKET_COMPLETE },
	{ "E6J", PACKET_COMPLETE },	    { "E6j6U", PACKET_COMPLETE },
	{ "E6j6hT", PACKET_COMPLETE },	    { "E6T", PACKET_COMPLETE },
	{ "E6hrdxU", PACKET_COMPLETE },	    { "E6hgT", PACKET_COMPLETE },
	{ "E6q", PACKET_LATER_FRAGMENT },   { "E6hhhhhhhhT", PACKET_COMPLETE },
	{ "EFU", PACKET_COMPLETE },	    { "EFT", PACKET_COMPLETE },
	{ "Ef", PACKET_LATER_FRAGMENT },    { "E4", PACKET_UNKNOWN_PROTOCOL },
	{ "E6h", PACKET_UNKNOWN_PROTOCOL }, { "E", PACKET_UNKNOWN_TYPE },
	{ "EA", PACKET_COMPLETE },	    { "EVA", PACKET_COMPLETE },
	{ "EV4T", PACKET_COMPLETE },	    { "EVV6U", PACKET_COMPLETE },
	{ "EVVVV4t", PACKET_COMPLETE },	    { "EM4T", PACKET_COMPLETE },
	{ "EVM6U", PACKET_COMPLETE },	    { "EM", PACKET_UNKNOWN_LABELLED },
	{ "EOp4T", PACKET_COMPLETE },	    { "EOp6hU", PACKET_COMPLETE },
	{ "EOpM4T", PACKET_COMPLETE },	    { "Z4T", PACKET_COMPLETE },
	{ "ZA", PACKET_COMPLETE },	    { "S4T", PACKET_COMPLETE },
	{ "SV6U", PACKET_COMPLETE },	    { "s4U", PACKET_COMPLETE },
	{ "sA", PACKET_COMPLETE },	    { "N4T", PACKET_COMPLETE },
	{ "N6U", PACKET_COMPLETE },	    { "L4T", PACKET_COMPLETE },
	{ "L6U", PACKET_COMPLETE },	    { "P4T", PACKET_COMPLETE },
	{ "P6dU", PACKET_COMPLETE },	    { "p4u", PACKET_COMPLETE },
	{ "p6hT", PACKET_COMPLETE },	    { "pM4oU", PACKET_COMPLETE },
	{ "H4T", PACKET_COMPLETE },	    { "H6U", PACKET_COMPLETE },
	{ "4T", PACKET_COMPLETE },	    { "6U", PACKET_COMPLETE },
	{ "E4G4T", PACKET_COMPLETE },	    { "E4K6U", PACKET_COMPLETE },
	{ "E4GE4T", PACKET_COMPLETE },	    { "E4GEV4t", PACKET_COMPLETE },
	{ "E4Gp4T", PACKET_COMPLETE },	    { "E6GM4T", PACKET_COMPLETE },
	{ "E4G", PACKET_UNKNOWN_TYPE },	    { "E4UXE4T", PACKET_COMPLETE },
	{ "E6UXEV6U", PACKET_COMPLETE },    { "E4UXE", PACKET_UNKNOWN_TYPE },
	{ "E4UYE4T", PACKET_COMPLETE },	    { "E4UY6U", PACKET_COMPLETE },
	{ "E44T", PACKET_COMPLETE },	    { "E46U", PACKET_COMPLETE },
	{ "E64t", PACKET_COMPLETE },	    { "E66hT", PACKET_COMPLETE },
	{ "E4444T", PACKET_COMPLETE },	    { "E4UXE4UYE4i4T", PACKET_COMPLETE },
};
#define WHOLE (sizeof(whole) / sizeof(whole[0]))

/* What is behind a limit: so many headers are still taken. */
static const struct {
	const char *recipe;
	unsigned int layers;
} deep[] = {
	{ "EVVVVV4T", 5 },
	{ "E6hhhhhhhhhT", 10 },
	{ "E444444T", 6 },
	{ "E4GE4GE4GE4GE4GE4T", 15 },
	{ "E4GE4UXEVVVV6hhhhhhT", 16 },
};

static struct packet_input input_of(const uint8_t *data, uint32_t captured, uint32_t wire)
{
	return (struct packet_input){ .data = data,
				      .captured_bytes = captured,
				      .wire_bytes = wire };
}

/* SNAP belongs to Ethernet's header, which is there without it when the rest is cut off. */
static bool is_same_layer(const struct packet_layer *layer, const struct packet_layer *built,
			  enum packet_verdict verdict)
{
	return layer->kind == built->kind && layer->offset == built->offset &&
	       (layer->bytes == built->bytes ||
		(verdict != PACKET_OK && built->kind == PACKET_ETHERNET && built->bytes == 22 &&
		 layer->bytes == 14));
}

static void check_layers(const char *recipe, const struct packet *packet,
			 const struct packet_layer *layers, const struct built *built)
{
	for (unsigned int i = 0; i < packet->layer_count; i++)
		if (!is_same_layer(&layers[i], &built->layers[i], packet->verdict))
			fail_msg("%s: layer %u: %s %u+%u instead of %s %u+%u", recipe, i,
				 packet_layer_name(layers[i].kind), layers[i].offset,
				 layers[i].bytes, packet_layer_name(built->layers[i].kind),
				 built->layers[i].offset, built->layers[i].bytes);
}

static void each_header_is_found_where_it_is(void **state)
{
	static struct built built;
	struct packet_layer layers[PACKET_LAYERS_MAX];
	struct packet packet;

	(void)state;
	for (size_t i = 0; i < WHOLE; i++) {
		const char *recipe = whole[i].recipe;
		struct packet_input input;

		packet_build(recipe, 100, &built);
		input = input_of(built.data, built.bytes, built.bytes);
		packet_parse_layers(built.link, &input, &packet, layers);
		check_layers(recipe, &packet, layers, &built);
		if (packet.reason != whole[i].reason)
			fail_msg("%s: %s", recipe, packet_reason_name(packet.reason));
		assert_int_equal(packet.verdict, PACKET_OK);
		if (packet.layer_count != built.count)
			fail_msg("%s: %u layers instead of %u", recipe, packet.layer_count,
				 built.count);
		assert_int_equal(packet.payload_offset, built.payload_offset);
		assert_int_equal(packet.payload_bytes, 100);
		assert_int_equal(packet.payload_captured, 100);
		if (strpbrk(recipe, "TtuC")) {
			assert_int_equal(packet.source_port, 0xc001);
			assert_int_equal(packet.destination_port, 5201);
			assert_true(packet.flags & PACKET_FLAG_PORTS);
		}
		assert_int_equal(!!(packet.flags & PACKET_FLAG_QUOTED), !!strpbrk(recipe, "ij"));
		assert_int_equal(!!(packet.flags & PACKET_FLAG_FRAGMENT),
				 !!strpbrk(recipe, "Ffgq"));
	}
}

static void limits_end_it_in_order(void **state)
{
	static struct built built;
	struct packet_layer layers[PACKET_LAYERS_MAX];
	struct packet packet;

	(void)state;
	for (size_t i = 0; i < sizeof(deep) / sizeof(deep[0]); i++) {
		struct packet_input input;

		packet_build(deep[i].recipe, 10, &built);
		input = input_of(built.data, built.bytes, built.bytes);
		packet_parse_layers(built.link, &input, &packet, layers);
		check_layers(deep[i].recipe, &packet, layers, &built);
		if (packet.reason != PACKET_TOO_DEEP || packet.layer_count != deep[i].layers)
			fail_msg("%s: %s with %u layers", deep[i].recipe,
				 packet_reason_name(packet.reason), packet.layer_count);
	}
}

/* All ways to the same packet say the same; returned is what they say. */
static struct packet parse_in_all_ways(const char *recipe, enum packet_link link,
				       const struct packet_input *input,
				       struct packet_layer layers[PACKET_LAYERS_MAX])
{
	struct packet_layer other_layers[PACKET_LAYERS_MAX];
	struct packet packet, other;

	walk_layers(link, input, &packet, layers, ACCESS_BYTES);
	walk_layers(link, input, &other, other_layers, ACCESS_HALVES);
	if (memcmp(&packet, &other, sizeof(packet)) ||
	    memcmp(layers, other_layers, packet.layer_count * sizeof(layers[0])))
		fail_msg("%s, %u of %u bytes: halves: %s, bytes: %s", recipe, input->captured_bytes,
			 input->wire_bytes, packet_reason_name(other.reason),
			 packet_reason_name(packet.reason));
	if (link == PACKET_LINK_ETHERNET && packet_parse_fast(input, &other) &&
	    memcmp(&packet, &other, sizeof(packet)))
		fail_msg("%s, %u of %u bytes: the fast path differs", recipe, input->captured_bytes,
			 input->wire_bytes);
	packet_parse(link, input, &other);
	assert_memory_equal(&packet, &other, sizeof(packet));
	packet_parse_copied(link, input, copy_variant_find("byte")->memcpy, &other);
	if (memcmp(&packet, &other, sizeof(packet)))
		fail_msg("%s, %u of %u bytes: the copy: %s, in place: %s", recipe,
			 input->captured_bytes, input->wire_bytes, packet_reason_name(other.reason),
			 packet_reason_name(packet.reason));
	return packet;
}

/* Cut by the capture and by the wire, at an even address and an odd one. */
static void what_is_cut_is_a_prefix(void **state)
{
	static struct built built;
	struct packet_layer layers[PACKET_LAYERS_MAX];

	(void)state;
	for (size_t i = 0; i < WHOLE; i++) {
		packet_build(whole[i].recipe, 3, &built);
		for (uint32_t cut = 0; cut <= built.bytes; cut++)
			for (unsigned int way = 0; way < 4; way++) {
				uint32_t odd = way & 1, wire = way & 2 ? cut : built.bytes;
				uint8_t *exact = malloc(cut + odd + !(cut + odd));
				struct packet_input input = input_of(exact + odd, cut, wire);
				struct packet packet;

				assert_non_null(exact);
				memcpy(exact + odd, built.data, cut);
				packet = parse_in_all_ways(whole[i].recipe, built.link, &input,
							   layers);
				check_layers(whole[i].recipe, &packet, layers, &built);
				assert_true(packet.payload_offset <= cut);
				assert_true(packet.payload_offset + packet.payload_captured <= cut);
				if (wire == built.bytes && cut < wire &&
				    packet.verdict == PACKET_MALFORMED)
					fail_msg("%s: %u of %u bytes: %s", whole[i].recipe, cut,
						 wire, packet_reason_name(packet.reason));
				if (cut < built.layers[0].bytes)
					assert_int_equal(packet.verdict,
							 way & 2 ? PACKET_MALFORMED
								 : PACKET_TRUNCATED);
				free(exact);
			}
	}
}

/* Bytes set at random; what comes out must hold together, and be the same in all ways. */
static void damage_is_survived(void **state)
{
	static struct built built;
	struct packet_layer layers[PACKET_LAYERS_MAX];
	uint64_t random = 0x9e3779b97f4a7c15;
	size_t reasons[PACKET_REASONS] = { 0 };

	(void)state;
	for (int turn = 0; turn < 200000; turn++) {
		const char *recipe = whole[turn % WHOLE].recipe;
		struct packet_input input;
		struct packet packet;
		uint8_t *exact;

		if (!(turn % 97 % 8))
			packet_build(recipe, 20, &built);
		else
			packet_build(recipe, 0, &built);
		for (int i = 0; i < 1 + turn % 4; i++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
			built.data[(random >> 33) % built.bytes] ^=
				(uint8_t)(1 << (random >> 24) % 8);
		}
		exact = malloc(built.bytes);
		assert_non_null(exact);
		memcpy(exact, built.data, built.bytes);
		input = input_of(exact, built.bytes, built.bytes);
		packet = parse_in_all_ways(recipe, built.link, &input, layers);
		free(exact);
		assert_true(packet.layer_count <= PACKET_LAYERS_MAX);
		assert_true(packet.payload_offset + packet.payload_bytes <= built.bytes);
		assert_true(packet.reason < PACKET_REASONS);
		reasons[packet.reason]++;
	}
	/* Bits that flip at random reach all of them but those that packets without a capture's
	 * end, or with another kind of damage, have. */
	for (int reason = 0; reason < PACKET_REASONS; reason++)
		if (!reasons[reason] && reason != PACKET_CAPTURE_ENDS)
			fail_msg("never: %s", packet_reason_name(reason));
}

/* One byte of a good packet set, and the reason for which it is refused. */
static const struct {
	const char *recipe;
	uint32_t offset;
	uint8_t value;
	enum packet_reason reason;
	unsigned int layers;
} wrong[] = {
	{ "E4T", 14, 0x55, PACKET_IP_VERSION, 1 },
	{ "E6T", 14, 0x40, PACKET_IP_VERSION, 1 },
	{ "E4T", 14, 0x44, PACKET_IPV4_HEADER_SHORT, 1 },
	{ "E4U", 14, 0x4d, PACKET_IPV4_TOTAL_SHORT, 1 }, /* 52 bytes of 46 */
	{ "E4T", 17, 19, PACKET_IPV4_TOTAL_SHORT, 1 },
	{ "E4T", 17, 200, PACKET_IPV4_TOTAL_LONG, 1 },
	{ "Eot", 35, 9, PACKET_IPV4_OPTION, 1 }, /* longer than the header leaves */
	{ "Eot", 35, 1, PACKET_IPV4_OPTION, 1 },
	{ "E6T", 19, 200, PACKET_IPV6_LENGTH_LONG, 1 },
	{ "E4T", 46, 0x40, PACKET_TCP_HEADER_SHORT, 2 },
	{ "E4T", 46, 0xf0, PACKET_FRAME_ENDS, 2 },
	{ "E4t", 57, 11, PACKET_TCP_OPTION, 2 },
	{ "E4U", 39, 7, PACKET_UDP_LENGTH_SHORT, 2 },
	{ "E4U", 39, 200, PACKET_UDP_LENGTH_LONG, 2 },
	{ "E4U", 39, 27, PACKET_UDP_LENGTH_LONG, 2 },  /* 26 are there */
	{ "EOP4T", 20, 0xff, PACKET_UNKNOWN_TYPE, 3 }, /* address and control are not for it */
	{ "EOp4T", 19, 200, PACKET_PPPOE_LENGTH_LONG, 2 },
	{ "E4G4T", 35, 2, PACKET_GRE_VERSION, 2 },
	{ "E4G4T", 34, 0x40, PACKET_GRE_VERSION, 2 },
	{ "E4UYE4T", 42, 0x42, PACKET_GENEVE_VERSION, 3 },
	{ "E4T", 12, 0, PACKET_LLC, 1 },
	{ "E4T", 23, 50, PACKET_ENCRYPTED, 2 },
};

/* All ways through what was built, in a buffer of its size. */
static struct packet parse_built(const char *recipe, const struct built *built, uint32_t wire_bytes)
{
	struct packet_layer layers[PACKET_LAYERS_MAX];
	uint8_t *exact = malloc(built->bytes);
	struct packet_input input = input_of(exact, built->bytes, wire_bytes);
	struct packet packet;

	assert_non_null(exact);
	memcpy(exact, built->data, built->bytes);
	packet = parse_in_all_ways(recipe, built->link, &input, layers);
	free(exact);
	return packet;
}

static void what_is_wrong_has_a_name(void **state)
{
	static struct built built;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct packet packet;

		packet_build(wrong[i].recipe, 18, &built);
		built.data[wrong[i].offset] = wrong[i].value;
		packet = parse_built(wrong[i].recipe, &built, built.bytes);
		if (packet.reason != wrong[i].reason || packet.layer_count != wrong[i].layers)
			fail_msg("%s with %u at %u: %s with %u layers", wrong[i].recipe,
				 wrong[i].value, wrong[i].offset, packet_reason_name(packet.reason),
				 packet.layer_count);
	}
}

/* The payload of the builder has the bit of the last label nowhere. */
static void labels_without_a_last_one(void **state)
{
	static struct built built;
	struct packet packet;

	(void)state;
	packet_build("EM", 1000, &built);
	built.data[20] = 0;
	packet = parse_built("EM", &built, built.bytes);
	assert_int_equal(packet.reason, PACKET_TOO_DEEP);
	assert_int_equal(packet.layer_count, 1);
}

/* The last byte of the header begins an option, and nothing is behind it. */
static void an_option_without_a_length(void **state)
{
	static struct built built;

	(void)state;
	packet_build("Eo", 0, &built);
	built.data[built.bytes - 1] = 5;
	assert_int_equal(parse_built("Eo", &built, built.bytes).reason, PACKET_IPV4_OPTION);
}

static void more_captured_than_there_was(void **state)
{
	static struct built built;
	struct packet packet;

	(void)state;
	packet_build("E4T", 6, &built);
	packet = parse_built("E4T", &built, 28);
	assert_int_equal(packet.verdict, PACKET_MALFORMED);
	assert_int_equal(packet.layer_count, 1);
}

/* What ICMP quotes may end anywhere; that is neither the capture's end nor a lie. */
static void a_quote_may_end_anywhere(void **state)
{
	static struct built built;
	struct packet packet;

	(void)state;
	packet_build("E4i4T", 0, &built);
	built.bytes -= 12; /* eight bytes of the quoted TCP */
	built.data[17] = (uint8_t)(built.bytes - 14);
	packet = parse_built("E4i4T", &built, built.bytes);
	assert_int_equal(packet.reason, PACKET_QUOTE_ENDS);
	assert_int_equal(packet.layer_count, 4);
	assert_int_equal(packet.destination_port, 5201);
}

static void every_number_has_a_name(void **state)
{
	static const unsigned int types[] = { 1, 101, 228, 229, 113, 276, 0, 108, 9, 104 };

	(void)state;
	for (int i = 0; i < PACKET_LINKS; i++) {
		assert_int_equal(packet_link_of_type(types[i]), i);
		assert_non_null(packet_link_name(i));
	}
	assert_int_equal(packet_link_of_type(105), -1);
	for (int i = 0; i < PACKET_LAYER_KINDS; i++)
		assert_non_null(packet_layer_name(i));
	for (int i = 0; i < PACKET_REASONS; i++)
		assert_non_null(packet_reason_name(i));
	assert_in_range(sizeof(struct packet), 32, 40);
}

/* For a comparison with another parser: those that begin with Ethernet, as a pcap file. */
static int write_capture(const char *path)
{
	static const uint32_t head[] = { 0xa1b2c3d4, 0x00040002, 0, 0, 65535, 1 };
	static struct built built;
	FILE *out = fopen(path, "we");

	if (!out)
		return 1;
	fwrite(head, sizeof(head), 1, out);
	for (size_t i = 0; i < WHOLE; i++)
		if (is_one_of(whole[i].recipe[0], "EZ")) {
			uint32_t record[4] = { 1, (uint32_t)i, 0, 0 };

			packet_build(whole[i].recipe, 100, &built);
			record[2] = record[3] = built.bytes;
			fwrite(record, sizeof(record), 1, out);
			fwrite(built.data, built.bytes, 1, out);
		}
	return ferror(out) | fclose(out) ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_header_is_found_where_it_is),
		cmocka_unit_test(limits_end_it_in_order),
		cmocka_unit_test(what_is_cut_is_a_prefix),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(what_is_wrong_has_a_name),
		cmocka_unit_test(labels_without_a_last_one),
		cmocka_unit_test(an_option_without_a_length),
		cmocka_unit_test(more_captured_than_there_was),
		cmocka_unit_test(a_quote_may_end_anywhere),
		cmocka_unit_test(every_number_has_a_name),
	};

	if (argc == 2)
		return write_capture(argv[1]);
	return cmocka_run_group_tests_name("packet", tests, NULL, NULL);
}
