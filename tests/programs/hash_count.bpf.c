/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Counts by a key of two fields in every kind of hash. */
#include <egpu/egpu.bpf.h>

struct place {
	egpu_kernel_id kernel;
	__u32 lane;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1000);
	__type(key, struct place);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1000);
	__type(key, __u32);
	__type(value, __u32);
} shards SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 10);
	__type(key, __u64);
	__type(value, __u64);
} recent SEC(".maps");

SEC("gpu/entry:*")
int hash_count(struct egpu_ctx *ctx)
{
	struct place place = {.kernel = ctx->kernel_id, .lane = ctx->lane_id};
	__u64 one = 1, block = ctx->block_idx.x, *count;
	__u32 lane = ctx->lane_id, *shard;

	count = bpf_map_lookup_elem(&counts, &place);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	else
		bpf_map_update_elem(&counts, &place, &one, BPF_NOEXIST);
	shard = bpf_map_lookup_elem(&shards, &lane);
	if (shard)
		__atomic_fetch_add(shard, 1, __ATOMIC_RELAXED);
	bpf_map_update_elem(&recent, &block, &one, BPF_ANY);
	return 0;
}
