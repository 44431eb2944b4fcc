/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Counts threads in two maps: something to take snapshots of, and to read while a kernel runs. */
#include "common.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} threads SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32);
	__type(key, __u32);
	__type(value, __u64);
} by_lane SEC(".maps");

static __always_inline void count_in_hash(__u32 lane)
{
	__u64 one = 1, *number = bpf_map_lookup_elem(&by_lane, &lane);

	if (!number) {
		if (bpf_map_update_elem(&by_lane, &lane, &one, BPF_NOEXIST) == 0)
			return;
		number = bpf_map_lookup_elem(&by_lane, &lane);
	}
	if (number)
		count(number, 1);
}

SEC("gpu/entry:work_probed")
int work(struct egpu_ctx *ctx)
{
	__u32 zero = 0;
	__u64 *number = bpf_map_lookup_elem(&threads, &zero);

	note_block(ctx);
	if (number)
		count(number, 1);
	count_in_hash(ctx->lane_id);
	return 0;
}
