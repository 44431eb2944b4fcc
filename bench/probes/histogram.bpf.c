/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Each warp counts in a histogram of powers of two, one shard per SM. */
#include "bench.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} histogram_of SEC(".maps");

SEC("gpu/entry:*_probed")
int histogram(struct egpu_ctx *ctx)
{
	__u32 key = egpu_log2(egpu_clock() & 0xfffff);
	__u64 *count;

	if (ctx->lane_id != 0)
		return 0;
	count = bpf_map_lookup_elem(&histogram_of, &key);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	return 0;
}
