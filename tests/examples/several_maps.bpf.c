/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Several maps: sharded and not, of numbers and of structs.
 *
 * expect calls[0] = 128
 * expect sums[0].count = 43
 * expect sums[1].count = 43
 * expect sums[2].count = 42
 * expect sums[0].total = 2709
 * expect sums[2].total = 2667
 * expect bytes[9] = 9
 * expect results[127] = 127
 */
#include "example.bpf.h"

struct sum {
	__u64 total;
	__u32 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 3);
	__type(key, __u32);
	__type(value, struct sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 10);
	__type(key, __u32);
	__type(value, __u8);
} bytes SEC(".maps");

SEC("gpu/entry:*")
int several_maps(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u32 zero = 0;
	__u32 third = thread % 3;
	__u32 digit = thread % 10;
	__u64 *count = bpf_map_lookup_elem(&calls, &zero);
	struct sum *sum = bpf_map_lookup_elem(&sums, &third);
	__u8 *byte = bpf_map_lookup_elem(&bytes, &digit);

	if (!count || !sum || !byte)
		return 0;
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum->total, thread, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum->count, 1, __ATOMIC_RELAXED);
	*byte = digit;
	store_result(thread, thread);
	return 0;
}
