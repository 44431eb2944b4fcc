// expect: line 18: r0 is a pointer to a value of map counts or null
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	__u32 key = ctx->lane_id;
	__u64 *count = bpf_map_lookup_elem(&counts, &key);

	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	return 0;
}
