/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A control connection: reads what is there, keeps what the peer does not take yet. */
#ifndef NETBENCH_IPERF3_CONTROL_H
#define NETBENCH_IPERF3_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "netbench/loop.h"

struct control {
	struct watch watch; /* first: the handler finds what the control is part of by it */
	struct loop *loop;
	uint8_t *output; /* not taken by the kernel yet */
	size_t output_bytes;
	bool finish; /* nothing more will be sent: tell the peer when the output is gone */
};

#define CONTROL_AGAIN  (-1)
#define CONTROL_FAILED (-2)

/** Takes fd and calls ready for it. 0; or -errno, fd is then still the caller's. */
int control_open(struct control *control, struct loop *loop, int fd,
		 void (*ready)(struct watch *watch, uint32_t events));
void control_close(struct control *control);
bool control_is_open(const struct control *control);

/** Sends, now or when the peer takes it. False: no memory, or the connection is broken. */
bool control_send(struct control *control, const void *data, size_t bytes);

/** To be called on EPOLLOUT. False: the connection is broken. */
bool control_flush(struct control *control);

/** Closes our direction once all output is gone. */
void control_finish(struct control *control);

/** Bytes read, 0 at the end of the peer's direction, CONTROL_AGAIN or CONTROL_FAILED with errno. */
ssize_t control_read(struct control *control, void *data, size_t bytes);

#endif
