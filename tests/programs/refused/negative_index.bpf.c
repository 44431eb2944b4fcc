// expect: line 27: may be outside the 128 bytes
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

struct lanes {
	__u64 of[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct lanes);
} counts SEC(".maps");

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	struct lanes *count = bpf_map_lookup_elem(&counts, &key);

	if (!count)
		return 0;
	__s64 lane = (__s64)ctx->lane_id - 1;

	if (lane < 16)
		__atomic_fetch_add(&count->of[lane], 1, __ATOMIC_RELAXED);
	return 0;
}
