/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Keys on the stack, one of them a loop's counter; sums a few entries of an array into another. */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 8);
	__type(key, __u32);
	__type(value, __u32);
} weights SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} sums SEC(".maps");

SEC("gpu/entry:reduce*,scan*")
int weigh(struct egpu_ctx *ctx)
{
	__u64 sum = 0;
	__u32 slot = ctx->thread_idx.x > 31;
	__u64 *total;

#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < 8; i++) {
		__u32 key = i;
		__u32 *weight = bpf_map_lookup_elem(&weights, &key);

		if (weight)
			sum += *weight;
	}
	total = bpf_map_lookup_elem(&sums, &slot);
	if (total)
		__atomic_fetch_add(total, sum, __ATOMIC_RELAXED);
	return 0;
}
