// expect: maps in maps and program arrays are not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

struct inner {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
};

struct {
	__uint(type, 12 /* BPF_MAP_TYPE_ARRAY_OF_MAPS */);
	__uint(max_entries, 1);
	__type(key, __u32);
	struct inner *values[];
} outer SEC(".maps");

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&outer, &key) != 0;
}
