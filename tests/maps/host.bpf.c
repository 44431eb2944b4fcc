/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* One map of each kind, for a host that reads and writes them while this runs. */
#include <egpu/egpu.bpf.h>

struct cell {
	__u64 count;
	__u32 gate;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct cell);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} totals SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} per_sm SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 100);
	__type(key, __u32);
	__type(value, __u64);
} lanes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 100);
	__type(key, __u64);
	__type(value, __u64);
} lanes_per_sm SEC(".maps");

__u64 step = 1;

/* Every thread adds to the first cell, and by `step` to the second where its gate is open. */
SEC("gpu/entry:*")
int host(struct egpu_ctx *ctx)
{
	__u32 first = 0, second = 1, lane = ctx->lane_id;
	__u64 wide = lane, none = 0, *count;
	struct cell *cell;

	cell = bpf_map_lookup_elem(&cells, &first);
	if (cell)
		__atomic_fetch_add(&cell->count, 1, __ATOMIC_RELAXED);
	cell = bpf_map_lookup_elem(&cells, &second);
	if (cell && cell->gate)
		__atomic_fetch_add(&cell->count, step, __ATOMIC_RELAXED);
	count = bpf_map_lookup_elem(&totals, &first);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	count = bpf_map_lookup_elem(&per_sm, &first);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);

	bpf_map_update_elem(&lanes, &lane, &none, BPF_NOEXIST);
	count = bpf_map_lookup_elem(&lanes, &lane);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	bpf_map_update_elem(&lanes_per_sm, &wide, &none, BPF_NOEXIST);
	count = bpf_map_lookup_elem(&lanes_per_sm, &wide);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	return 0;
}
