/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Two programs of one object call the same function.
 *
 * expect totals[0] = 8256
 * expect totals[1] = 16384
 */
#include "example.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} totals SEC(".maps");

static NOINLINE int add(__u32 slot, __u64 number)
{
	__u64 *total = bpf_map_lookup_elem(&totals, &slot);

	if (!total)
		return 0;
	__atomic_fetch_add(total, number, __ATOMIC_RELAXED);
	return 1;
}

SEC("gpu/entry:*")
int first(struct egpu_ctx *ctx)
{
	return add(0, thread_of(ctx) + 1);
}

SEC("gpu/entry:*")
int second(struct egpu_ctx *ctx)
{
	return add(1, 2 * thread_of(ctx) + 1);
}
