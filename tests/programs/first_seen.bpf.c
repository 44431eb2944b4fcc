/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Remembers the block that came first on each SM, with a 64-bit compare-and-swap and divisions. */
#include <egpu/egpu.bpf.h>

#define MAX_SMS 256

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_SMS);
	__type(key, __u32);
	__type(value, __u64);
} first_block SEC(".maps");

SEC("gpu/entry:*")
int first(struct egpu_ctx *ctx)
{
	__u32 sm = ctx->sm_id;
	__u64 block = ctx->block_idx.x + 1ULL;
	__u64 *seen;

	if (sm >= MAX_SMS)
		sm %= MAX_SMS;
	block += (__u64)ctx->block_idx.y * ctx->grid_dim.x;
	block += (__u64)ctx->block_idx.z * ctx->grid_dim.x * ctx->grid_dim.y;
	seen = bpf_map_lookup_elem(&first_block, &sm);
	if (seen && *seen == 0)
		__sync_val_compare_and_swap(seen, 0, block / (ctx->block_dim.x | 1));
	return 0;
}
