/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Lines of text, and records by way of a PERF_EVENT_ARRAY, as older programs write them. */
#include <egpu/egpu.bpf.h>

struct seen {
	__u32 block;
	__s16 negative;
	char name[6];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(key_size, sizeof(int));
	__type(value, struct seen);
} blocks SEC(".maps");

SEC("gpu/entry:*")
int trace(struct egpu_ctx *ctx)
{
	struct seen seen = {.block = ctx->block_idx.x, .negative = -3, .name = "block"};

	if (ctx->thread_idx.x != 0)
		return 0;
	bpf_printk("hello");
	bpf_printk("block %u of %d, %llx\n", ctx->block_idx.x, ctx->grid_dim.x, ~0ULL);
	bpf_perf_event_output(ctx, &blocks, BPF_F_CURRENT_CPU, &seen, sizeof(seen));
	return bpf_perf_event_output(ctx, &blocks, 1ULL << 40, &seen, sizeof(seen)) == -22;
}
