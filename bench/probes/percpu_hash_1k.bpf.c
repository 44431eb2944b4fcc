/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Each warp counts under one of 1,024 keys of a PERCPU_HASH. */
#include "bench.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

SEC("gpu/entry:*_probed")
int percpu_hash_1k(struct egpu_ctx *ctx)
{
	__u32 key = (thread_of(ctx) >> 5) & (1024 - 1);

	if (ctx->lane_id == 0)
		count_under(&counts, &key);
	return 0;
}
