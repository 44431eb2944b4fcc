/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Atomic operations that give the old value.
 *
 * needs -mcpu=v3
 * expect results[0] = 1
 * expect counters[0] = 128
 * expect counters[1] = 127
 * expect counters[2] = 1
 */
#include "example.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline __u64 *counter(__u32 index)
{
	return bpf_map_lookup_elem(&counters, &index);
}

SEC("gpu/entry:*")
int fetching_atomics(struct egpu_ctx *ctx)
{
	__u64 *count = counter(0);
	__u64 *bits = counter(1);
	__u64 *winners = counter(2);
	__u64 *owner = counter(3);
	__u32 thread = thread_of(ctx);

	if (!count || !bits || !winners || !owner)
		return 0;
	/* Each ticket is drawn once. */
	store_result(__sync_fetch_and_add(count, 1) & 127, 1);
	__sync_fetch_and_or(bits, thread);
	if (__sync_val_compare_and_swap(owner, 0, thread + 1) == 0)
		__atomic_fetch_add(winners, 1, __ATOMIC_RELAXED);
	return 0;
}
