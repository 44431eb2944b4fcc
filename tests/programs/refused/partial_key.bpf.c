// expect: line 22: r2: 4 bytes of the stack at r10 -4 are not initialised
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
	union {
		__u16 half[2];
		__u32 whole;
	} key;
	__u64 *count;

	*(volatile __u16 *)&key.half[0] = 1;
	count = bpf_map_lookup_elem(&counts, &key);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	(void)ctx;
	return 0;
}
