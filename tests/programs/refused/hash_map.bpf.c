// expect: BPF_MAP_TYPE_HASH is not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

#define BPF_MAP_TYPE_HASH 1

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	__u64 *count = bpf_map_lookup_elem(&counts, &key);

	if (!count)
		return 0;
	__atomic_fetch_add(count, ctx->lane_id, __ATOMIC_RELAXED);
	return 0;
}
