/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* A ring buffer, used in every way: reserved and submitted or discarded, copied, asked. */
#include <egpu/egpu.bpf.h>

struct event {
	egpu_kernel_id kernel;
	__u32 thread;
	__u64 values[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
	__type(value, struct event);
} events SEC(".maps");

static void fill(struct event *event, const struct egpu_ctx *ctx)
{
	int i;

	event->kernel = ctx->kernel_id;
	event->thread = ctx->thread_idx.x;
	for (i = 0; i < 3; ++i)
		event->values[i] = ctx->thread_idx.x * 3 + i;
}

SEC("gpu/entry:*")
int submit(struct egpu_ctx *ctx)
{
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);

	if (!event)
		return 0;
	fill(event, ctx);
	if (event->thread % 3 == 0)
		bpf_ringbuf_discard(event, 0);
	else
		bpf_ringbuf_submit(event, BPF_RB_FORCE_WAKEUP);
	return 0;
}

SEC("gpu/entry:*")
int output(struct egpu_ctx *ctx)
{
	struct event event = {};

	if (bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) > 60 * 1024)
		return 0;
	fill(&event, ctx);
	bpf_ringbuf_output(&events, &event, sizeof(event), 0);
	return 0;
}
