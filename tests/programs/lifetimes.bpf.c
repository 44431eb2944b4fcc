/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Counts what begins and what ends: threads, warps and blocks of each kernel. */
#include <egpu/egpu.bpf.h>

struct lifetimes {
	__u64 begun; /* threads */
	__u64 ended;
	__u64 warps_begun;
	__u64 lanes_begun; /* of these warps */
	__u64 groups_ended;
	__u64 lanes_ended;
	__u64 warps_ended; /* groups with lane 0 */
	__u64 blocks_begun;
	__u64 blocks_ended;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1024);
	__type(key, egpu_kernel_id);
	__type(value, struct lifetimes);
} lifetimes SEC(".maps");

#define ADD(field, number)                                                                         \
	do {                                                                                       \
		egpu_kernel_id kernel__ = ctx->kernel_id;                                          \
		struct lifetimes *of__ = bpf_map_lookup_elem(&lifetimes, &kernel__);               \
                                                                                                   \
		if (of__)                                                                          \
			__atomic_fetch_add(&of__->field, number, __ATOMIC_RELAXED);                \
	} while (0)

SEC("gpu/entry:*")
int begin(struct egpu_ctx *ctx)
{
	ADD(begun, 1);
	return 0;
}

SEC("gpu/exit:*")
int end(struct egpu_ctx *ctx)
{
	ADD(ended, 1);
	return 0;
}

SEC("gpu.warp/entry:*")
int begin_warp(struct egpu_ctx *ctx)
{
	ADD(warps_begun, 1);
	ADD(lanes_begun, __builtin_popcount(ctx->active_mask));
	return 0;
}

SEC("gpu.warp/exit:*")
int end_group(struct egpu_ctx *ctx)
{
	ADD(groups_ended, 1);
	ADD(lanes_ended, __builtin_popcount(ctx->active_mask));
	if (ctx->active_mask & 1)
		ADD(warps_ended, 1);
	return 0;
}

SEC("gpu.block/entry:*")
int begin_block(struct egpu_ctx *ctx)
{
	ADD(blocks_begun, 1);
	return 0;
}

SEC("gpu.block/exit:*")
int end_block(struct egpu_ctx *ctx)
{
	ADD(blocks_ended, 1);
	return 0;
}
