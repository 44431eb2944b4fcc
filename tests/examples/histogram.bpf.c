/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A histogram of logarithms, by a function with branches.
 *
 * expect buckets[0] = 2
 * expect buckets[1] = 2
 * expect buckets[2] = 4
 * expect buckets[6] = 64
 * expect sum buckets = 128
 */
#include "example.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} buckets SEC(".maps");

static NOINLINE __u32 logarithm(__u64 value)
{
	__u32 result = 0;

	if (value >> 32) {
		value >>= 32;
		result += 32;
	}
	if (value >> 16) {
		value >>= 16;
		result += 16;
	}
	if (value >> 8) {
		value >>= 8;
		result += 8;
	}
	if (value >> 4) {
		value >>= 4;
		result += 4;
	}
	if (value >> 2) {
		value >>= 2;
		result += 2;
	}
	return result + (value >> 1);
}

SEC("gpu/entry:*")
int histogram(struct egpu_ctx *ctx)
{
	__u32 bucket = logarithm(thread_of(ctx));
	__u64 *count;

	if (bucket >= 64)
		return 0;
	count = bpf_map_lookup_elem(&buckets, &bucket);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	return 0;
}
