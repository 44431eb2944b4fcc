/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* A struct as the value of an array: plain loads and stores, atomics of 4 and 8 bytes. */
#include <egpu/egpu.bpf.h>

struct launch {
	__u64 threads;
	__u32 blocks;
	__u16 block_x;
	__u8 seen;
	__u8 lanes[5];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct launch);
} launches SEC(".maps");

SEC("gpu/entry:*")
int describe(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	struct launch *launch = bpf_map_lookup_elem(&launches, &key);

	if (!launch)
		return 0;
	__atomic_fetch_add(&launch->threads, 1, __ATOMIC_RELAXED);
	if ((ctx->thread_idx.x | ctx->thread_idx.y | ctx->thread_idx.z) == 0)
		__atomic_fetch_add(&launch->blocks, 1, __ATOMIC_RELAXED);
	if (egpu_is_first_thread(ctx)) {
		launch->block_x = (__u16)ctx->block_dim.x;
		launch->seen = 1;
		launch->lanes[0] = (__u8)ctx->lane_id;
	}
	return 0;
}
