/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* An index into a value that is bounded by a mask. */
#include <egpu/egpu.bpf.h>

struct counters {
	__u64 of_lane[32];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct counters);
} lanes SEC(".maps");

SEC("gpu/entry:*")
int per_lane(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	struct counters *counters = bpf_map_lookup_elem(&lanes, &key);

	if (counters)
		__atomic_fetch_add(&counters->of_lane[ctx->lane_id & 31], 1, __ATOMIC_RELAXED);
	return 0;
}
