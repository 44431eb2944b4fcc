// expect: map_flags = 0x400 is not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
	__uint(map_flags, 0x400); /* BPF_F_MMAPABLE */
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
