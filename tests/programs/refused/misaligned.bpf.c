// expect: line 27: an access of 8 bytes at offset 4 is not aligned
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

struct pair {
	__u32 low[4];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct pair);
} counts SEC(".maps");

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	struct pair *count = bpf_map_lookup_elem(&counts, &key);

	if (!count)
		return 0;
	__u64 *middle = (__u64 *)&count->low[1];

	asm volatile("" : "+r"(middle)); /* clang would write two halves */
	*middle = ctx->lane_id;
	return 0;
}
