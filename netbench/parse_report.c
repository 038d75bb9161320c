/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Parse report: see parse_report.h. Whatever was never met is left out. */
#include "netbench/parse_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define SCHEMA "netbench-parse/1"

void parse_count(struct parse_counts *counts, const struct packet_input *input,
		 const struct packet *packet)
{
	counts->packets++;
	counts->captured_bytes += input->captured_bytes;
	counts->wire_bytes += input->wire_bytes;
	counts->odd_bytes += (uintptr_t)input->data & 1;
	counts->verdicts[packet->verdict]++;
	counts->reasons[packet->reason]++;
	for (uint32_t left = packet->layers; left; left &= left - 1)
		counts->layers[__builtin_ctz(left)]++;
	if (packet->layers & (1u << PACKET_IPV4 | 1u << PACKET_IPV6))
		counts->protocols[packet->protocol]++;
}

/* -- text ----------------------------------------------------------------------------------- */

static void print_line(FILE *out, const char *name, uint64_t count, uint64_t all)
{
	fprintf(out, "  %-18s %12" PRIu64 "  %5.1f %%\n", name, count,
		all ? 100.0 * (double)count / (double)all : 0);
}

static void print_oddity(FILE *out, const char *what, const struct capture_oddity *oddity)
{
	if (oddity->count)
		fprintf(out, "note: %s: %" PRIu64 ", the first is packet %" PRIu64 "\n", what,
			oddity->count, oddity->first_packet);
}

void parse_print(FILE *out, const struct capture *capture, const char *path,
		 const struct parse_counts *counts)
{
	int link = packet_link_of_type(capture->link_type);

	fprintf(out, "%s · %s · %" PRIu64 " packets · %" PRIu64 " bytes captured of %" PRIu64 "\n",
		path, packet_link_name((enum packet_link)link), counts->packets,
		counts->captured_bytes, counts->wire_bytes);
	fputs("verdict and reason\n", out);
	for (int i = 0; i < PACKET_VERDICTS; i++) {
		if (counts->verdicts[i])
			print_line(out, packet_verdict_name((enum packet_verdict)i),
				   counts->verdicts[i], counts->packets);
		for (int j = 0; j < PACKET_REASONS; j++) {
			char name[40];

			if (!counts->reasons[j] ||
			    (int)packet_reason_verdict((enum packet_reason)j) != i)
				continue;
			snprintf(name, sizeof(name), "  %s",
				 packet_reason_name((enum packet_reason)j));
			print_line(out, name, counts->reasons[j], counts->packets);
		}
	}
	fputs("packets with a header of\n", out);
	for (int i = 0; i < PACKET_LAYER_KINDS; i++)
		if (counts->layers[i])
			print_line(out, packet_layer_name((enum packet_layer_kind)i),
				   counts->layers[i], counts->packets);
	fputs("packets by IP protocol\n", out);
	for (int i = 0; i < IP_PROTOCOLS; i++)
		if (counts->protocols[i]) {
			char name[8];

			snprintf(name, sizeof(name), "%d", i);
			print_line(out, name, counts->protocols[i], counts->packets);
		}
	print_oddity(out, "captured more than was on the wire", &capture->more_than_wire);
	print_oddity(out, "nothing captured", &capture->empty);
	print_oddity(out, "time goes backwards", &capture->backwards);
}

/* -- CSV ------------------------------------------------------------------------------------ */

void parse_print_csv_head(FILE *out)
{
	fputs("number,time_s,captured_bytes,wire_bytes,address_mod_4,verdict,reason,layers,"
	      "network_offset,transport_offset,payload_offset,payload_bytes,vlan,type,protocol,"
	      "source_port,destination_port,tcp_flags\n",
	      out);
}

static void print_number(FILE *out, bool is_there, unsigned int value)
{
	if (is_there)
		fprintf(out, ",%u", value);
	else
		putc(',', out);
}

void parse_print_csv(FILE *out, uint64_t number, double time_s, const struct packet_input *input,
		     const struct packet *packet)
{
	const uint32_t ip = 1u << PACKET_IPV4 | 1u << PACKET_IPV6;
	const uint32_t transport = 1u << PACKET_TCP | 1u << PACKET_UDP | 1u << PACKET_SCTP |
				   1u << PACKET_ICMP | 1u << PACKET_ICMPV6;
	const char *between = "";

	fprintf(out, "%" PRIu64 ",%.9f,%u,%u,%u,%s,%s,", number, time_s, input->captured_bytes,
		input->wire_bytes, (unsigned int)((uintptr_t)input->data & 3),
		packet_verdict_name(packet->verdict), packet_reason_name(packet->reason));
	for (uint32_t left = packet->layers; left; left &= left - 1) {
		fprintf(out, "%s%s", between,
			packet_layer_name((enum packet_layer_kind)__builtin_ctz(left)));
		between = " ";
	}
	print_number(out, packet->layers & (ip | 1u << PACKET_ARP), packet->network_offset);
	print_number(out, packet->layers & transport, packet->transport_offset);
	print_number(out, true, packet->payload_offset);
	print_number(out, true, packet->payload_bytes);
	print_number(out, packet->layers & 1u << PACKET_VLAN, packet->vlan);
	print_number(out, packet->type, packet->type);
	print_number(out, packet->layers & ip, packet->protocol);
	print_number(out, packet->flags & PACKET_FLAG_PORTS, packet->source_port);
	print_number(out, packet->flags & PACKET_FLAG_PORTS, packet->destination_port);
	print_number(out, packet->layers & 1u << PACKET_TCP, packet->tcp_flags);
	putc('\n', out);
}

/* -- JSON ----------------------------------------------------------------------------------- */

static void set_count(json_t *object, const char *name, uint64_t count)
{
	if (count)
		json_object_set_new(object, name, json_integer((json_int_t)count));
}

static void set_oddity(json_t *object, const char *name, const struct capture_oddity *oddity)
{
	if (oddity->count)
		json_object_set_new(object, name,
				    json_pack("{s:I, s:I}", "count", (json_int_t)oddity->count,
					      "first_packet", (json_int_t)oddity->first_packet));
}

static json_t *to_json(const struct capture *capture, const char *file,
		       const struct parse_counts *counts)
{
	json_t *verdicts = json_object(), *reasons = json_object(), *layers = json_object();
	json_t *protocols = json_object(), *oddities = json_object();
	json_t *name = json_string(file);
	int link = packet_link_of_type(capture->link_type);

	for (int i = 0; i < PACKET_VERDICTS; i++)
		set_count(verdicts, packet_verdict_name((enum packet_verdict)i),
			  counts->verdicts[i]);
	for (int i = 0; i < PACKET_REASONS; i++)
		set_count(reasons, packet_reason_name((enum packet_reason)i), counts->reasons[i]);
	for (int i = 0; i < PACKET_LAYER_KINDS; i++)
		set_count(layers, packet_layer_name((enum packet_layer_kind)i), counts->layers[i]);
	for (int i = 0; i < IP_PROTOCOLS; i++) {
		char number[8];

		snprintf(number, sizeof(number), "%d", i);
		set_count(protocols, number, counts->protocols[i]);
	}
	set_oddity(oddities, "more_than_wire", &capture->more_than_wire);
	set_oddity(oddities, "empty", &capture->empty);
	set_oddity(oddities, "time_backwards", &capture->backwards);
	/* A name of a file need not be UTF-8. */
	return json_pack("{s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:s*}",
			 "schema", SCHEMA, "file", name ? name : json_string("unknown"), "link",
			 packet_link_name((enum packet_link)link), "packets",
			 (json_int_t)counts->packets, "captured_bytes",
			 (json_int_t)counts->captured_bytes, "wire_bytes",
			 (json_int_t)counts->wire_bytes, "packets_at_odd_addresses",
			 (json_int_t)counts->odd_bytes, "verdicts", verdicts, "reasons", reasons,
			 "layers", layers, "ip_protocols", protocols, "oddities", oddities,
			 "ends_early", *capture->why ? capture->why : NULL);
}

int parse_write_json(const char *path, const struct capture *capture, const char *file,
		     const struct parse_counts *counts)
{
	json_t *root = to_json(capture, file, counts);
	FILE *out = strcmp(path, "-") ? fopen(path, "we") : stdout;
	int status = -1;

	if (root && out) {
		status = json_dumpf(root, out, JSON_INDENT(1));
		if (putc('\n', out) == EOF)
			status = -1;
	}
	if (out && (out == stdout ? fflush(out) : fclose(out)))
		status = -1;
	json_decref(root);
	return status;
}
