/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A record of 32 bytes from each warp (bench/gpu). --set one_block_in=64 samples: blocks whose
 * number is a multiple.
 */
#include <egpu/egpu.bpf.h>

const volatile __u32 one_block_in = 1;

struct event {
	__u64 time;
	__u32 block;
	__u32 warp;
	__u32 sm;
	__u32 lanes;
	__u64 sum; /* of the fields before */
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1024 * 1024);
	__type(value, struct event);
} events SEC(".maps");

SEC("gpu/entry:*_probed")
int record(struct egpu_ctx *ctx)
{
	struct event *event;

	if (ctx->lane_id != 0 || ctx->block_idx.x % one_block_in != 0)
		return 0;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event)
		return 0;
	event->time = bpf_ktime_get_ns();
	event->block = ctx->block_idx.x;
	event->warp = ctx->thread_idx.x / 32;
	event->sm = ctx->sm_id;
	event->lanes = ctx->active_mask;
	event->sum = event->time + event->block + event->warp + event->sm + event->lanes;
	bpf_ringbuf_submit(event, 0);
	return 0;
}
