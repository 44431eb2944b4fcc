/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * The histograms of egpu.bpf.h. Two lie in plain arrays here, so that the lines below can name
 * their slots: egpu draws what has the histogram's type, as the third has.
 *
 * expect by_size[0] = 1
 * expect by_size[1] = 1
 * expect by_size[2] = 2
 * expect by_size[7] = 64
 * expect sum by_size = 128
 * expect slots[0] = 1
 * expect slots[6] = 32
 * expect slots[32] = 8
 * expect slots[63] = 64
 * expect steps[0] = 10
 * expect steps[1] = 25
 * expect steps[2] = 25
 * expect steps[3] = 68
 */
#include "example.bpf.h"

typedef EGPU_LINEAR_HIST(10, 25, 2) by_step;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, egpu_log2_slot);
	__type(value, __u64);
} by_size SEC(".maps");

__u64 slots[64];
__u64 steps[4];
by_step drawn;

SEC("gpu/entry:*")
int histograms(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	egpu_log2_slot slot = egpu_log2_slot_of(thread);
	__u64 *count = bpf_map_lookup_elem(&by_size, &slot);
	__u64 wide = thread;

	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	/* Numbers of up to 6 bits stay, some become wide, those of the second block the widest. */
	if (thread >= 64)
		wide = ~0ULL;
	else if (thread >= 8 && thread < 16)
		wide = 1ULL << 31;
	egpu_log2_hist_add((struct egpu_log2_hist *)slots, wide);
	egpu_linear_hist_add((by_step *)steps, thread);
	egpu_linear_hist_add(&drawn, thread);
	return 0;
}
