/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Of one block in eight: its threads by their weight, and its end. */
#include <egpu/egpu.bpf.h>

struct block {
	__u64 threads;
	__u64 ends;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct block);
} blocks SEC(".maps");

SEC("gpu/entry:*;sample=1/8")
int threads(struct egpu_ctx *ctx)
{
	__u32 number = ctx->block_idx.x;
	struct block *block = bpf_map_lookup_elem(&blocks, &number);

	if (block)
		__atomic_fetch_add(&block->threads, ctx->weight, __ATOMIC_RELAXED);
	return 0;
}

SEC("gpu.block/exit:*;sample=1/8")
int ends(struct egpu_ctx *ctx)
{
	__u32 number = ctx->block_idx.x;
	struct block *block = bpf_map_lookup_elem(&blocks, &number);

	if (block)
		__atomic_fetch_add(&block->ends, 1, __ATOMIC_RELAXED);
	return 0;
}
