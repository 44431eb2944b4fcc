/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Values that programs only add to: of an array, of a data section that does not start from zero,
 * and of 4 bytes; and a histogram by egpu_log2().
 *
 * expect pairs[0].count = 64
 * expect pairs[1].count = 64
 * expect pairs[0].total = 4032
 * expect pairs[1].total = 4096
 * expect before = 1128
 * expect below = 18446744073709551488
 * expect small[0] = 128
 * expect small[1] = 4294967168
 * expect buckets[0] = 2
 * expect buckets[5] = 32
 * expect buckets[6] = 64
 * expect sum buckets = 128
 */
#include "example.bpf.h"

struct pair {
	__u64 count;
	__u64 total;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct pair);
} pairs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} small SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} buckets SEC(".maps");

__u64 before = 1000;
__u64 below;

SEC("gpu/entry:*")
int sums(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u32 odd = thread & 1, zero = 0, one = 1;
	__u32 bucket = egpu_log2(thread);
	struct pair *pair = bpf_map_lookup_elem(&pairs, &odd);
	__u32 *up = bpf_map_lookup_elem(&small, &zero);
	__u32 *down = bpf_map_lookup_elem(&small, &one);
	__u64 *count = bpf_map_lookup_elem(&buckets, &bucket);

	if (!pair || !up || !down || !count)
		return 0;
	__atomic_fetch_add(&pair->count, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&pair->total, thread, __ATOMIC_RELAXED);
	__atomic_fetch_add(up, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(down, -1, __ATOMIC_RELAXED);
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&before, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&below, -1, __ATOMIC_RELAXED);
	return 0;
}
