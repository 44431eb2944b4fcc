/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* The same with keys of 8 bytes. */
#include "bench.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u64);
} counts SEC(".maps");

SEC("gpu/entry:*_probed")
int hash_1k_8(struct egpu_ctx *ctx)
{
	__u64 key = (thread_of(ctx) >> 5) & (1024 - 1);

	if (ctx->lane_id == 0)
		count_under(&counts, &key);
	return 0;
}
