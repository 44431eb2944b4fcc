/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* A record without a type from each warp, into small rings. */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8192);
} warps SEC(".maps");

SEC("gpu/entry:*")
int record(struct egpu_ctx *ctx)
{
	__u32 *record;

	if (ctx->lane_id != 0)
		return 0;
	record = bpf_ringbuf_reserve(&warps, 12, 0);
	if (!record)
		return 0;
	record[0] = ctx->block_idx.x;
	record[1] = ctx->thread_idx.x;
	record[2] = ctx->grid_dim.x;
	bpf_ringbuf_submit(record, 0);
	return 0;
}
