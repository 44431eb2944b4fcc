// expect: line 17: r1 is map values, not a map with keys
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__type(value, __u64);
} values SEC(".maps");

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	__u64 value = 0;

	(void)ctx;
	bpf_map_lookup_elem(&values, &value);
	return 0;
}
