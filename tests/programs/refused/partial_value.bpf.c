// expect: line 20: r3: 8 bytes of the stack at r10 -12 are not initialised
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
	__u32 key = 0;
	__u32 value[2];

	*(volatile __u32 *)&value[0] = ctx->lane_id;
	(void)ctx;
	bpf_map_update_elem(&counts, &key, value, BPF_ANY);
	return 0;
}
