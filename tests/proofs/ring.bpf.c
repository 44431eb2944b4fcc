/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Records that name their writer and its attempt, and add up: a torn, lost or repeated one is
 * known. Some are discarded; those of `texts` come in all sizes. Every attempt has one ending.
 */
#include "common.bpf.h"

#define STEPS 4
#define MOST_WORDS 16

const volatile __u32 lanes = 4;	       /* of each warp that write */
const volatile __u32 attempts = STEPS; /* of each in a launch */

struct event {
	__u32 writer;
	__u32 attempt;
	__u64 launch;
	__u64 time;
	__u64 sum; /* of the fields before */
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 * 1024);
	__type(value, struct event);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4 * 1024);
} texts SEC(".maps");

__u64 events_submitted;
__u64 events_discarded;
__u64 events_refused;
__u64 texts_submitted;
__u64 texts_refused;
__u64 unexpected;

struct turn {
	__u32 writer;
	__u32 random;
	__u64 launch;
};

static __always_inline void write_event(const struct turn *turn, __u32 attempt, int keep)
{
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event) {
		count(&events_refused, 1);
		return;
	}
	event->writer = turn->writer;
	event->attempt = attempt;
	event->launch = turn->launch;
	event->time = egpu_globaltimer();
	event->sum = event->writer + event->attempt + event->launch + event->time;
	if (keep) {
		bpf_ringbuf_submit(event, 0);
		count(&events_submitted, 1);
	} else {
		bpf_ringbuf_discard(event, 0);
		count(&events_discarded, 1);
	}
}

/* Writer, attempt, launch, bytes, and words that follow from them. */
static __always_inline void write_text(const struct turn *turn, __u32 attempt, __u32 choice)
{
	__u32 record[MOST_WORDS] = {}, bytes = 16 + (choice & 0x30), i;
	long result;

	record[0] = turn->writer;
	record[1] = attempt;
	record[2] = (__u32)turn->launch;
	record[3] = bytes;
	for (i = 4; i < MOST_WORDS; ++i)
		record[i] = mix(turn->writer ^ attempt << 24 ^ i);
	result = bpf_ringbuf_output(&texts, record, bytes, 0);
	if (result == 0)
		count(&texts_submitted, 1);
	else if (result == -EAGAIN)
		count(&texts_refused, 1);
	else
		count(&unexpected, 1);
}

static int step(__u32 attempt, struct turn *turn)
{
	__u32 choice = next_random(&turn->random);

	switch (choice >> 16 & 3) {
	case 0:
		write_text(turn, attempt, choice);
		break;
	case 1:
		write_event(turn, attempt, choice >> 20 & 1);
		break;
	default:
		write_event(turn, attempt, 1);
	}
	return 0;
}

SEC("gpu/entry:work_probed")
int write(struct egpu_ctx *ctx)
{
	struct turn turn = {.writer = thread_of(ctx), .launch = egpu_grid_id()};

	note_block(ctx);
	if (ctx->lane_id >= lanes)
		return 0;
	turn.random = mix(turn.writer ^ mix((__u32)turn.launch ^ mix(seed)));
	bpf_loop(attempts, step, &turn, 0);
	return 0;
}
