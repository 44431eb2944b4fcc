/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Every atomic operation, 4 and 8 bytes, with and without the old value. */
#include <egpu/egpu.bpf.h>

struct cells {
	__u64 wide[8];
	__u32 narrow[8];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cells);
} state SEC(".maps");

SEC("gpu/entry:*")
int atomics(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	__u32 lane = ctx->lane_id;
	struct cells *cells = bpf_map_lookup_elem(&state, &key);
	__u64 old;

	if (!cells)
		return 0;
	__atomic_fetch_add(&cells->wide[0], lane, __ATOMIC_RELAXED);
	__atomic_fetch_or(&cells->wide[1], 1ULL << (lane & 63), __ATOMIC_RELAXED);
	__atomic_fetch_and(&cells->wide[2], ~(__u64)lane, __ATOMIC_RELAXED);
	__atomic_fetch_xor(&cells->wide[3], lane, __ATOMIC_RELAXED);
	__atomic_fetch_add(&cells->narrow[0], lane, __ATOMIC_RELAXED);
	__atomic_fetch_or(&cells->narrow[1], lane, __ATOMIC_RELAXED);
	old = __sync_fetch_and_add(&cells->wide[4], 1);
	old += __sync_fetch_and_or(&cells->narrow[2], 2);
	old += __sync_lock_test_and_set(&cells->wide[5], old);
	old += __sync_val_compare_and_swap(&cells->narrow[3], 0, lane);
	old += __sync_val_compare_and_swap(&cells->wide[6], 0, old);
	__atomic_fetch_add(&cells->wide[7], old, __ATOMIC_RELAXED);
	return 0;
}
