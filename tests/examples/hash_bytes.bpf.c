/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * FNV-1a over the bytes of a struct on the stack, by a function that reads them through a pointer.
 *
 * expect results[0] = 12161954516460776928
 * expect results[127] = 12868488489045727065
 * expect sum results = 16175329955882812992
 */
#include "example.bpf.h"

struct record {
	__u32 thread;
	__u16 block;
	__u8 lane;
	__u8 kind;
};

static NOINLINE __u64 hash(const __u8 *bytes)
{
	__u64 result = 14695981039346656037ULL;

	for (int i = 0; i < 8; i++)
		result = (result ^ bytes[i]) * 1099511628211ULL;
	return result;
}

SEC("gpu/entry:*")
int hash_bytes(struct egpu_ctx *ctx)
{
	struct record record = {
		.thread = thread_of(ctx),
		.block = ctx->block_idx.x,
		.lane = ctx->lane_id,
		.kind = 7,
	};

	store_result(record.thread, hash((const __u8 *)&record));
	return 0;
}
