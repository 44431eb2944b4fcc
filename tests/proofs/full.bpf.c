/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Every thread has a key of its own for maps that have room for few, and keys and records that no
 * map has room for: each attempt succeeds or fails for the reason it must.
 */
#include "common.bpf.h"

#define ROOM 100

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ROOM);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, ROOM);
	__type(key, __u64);
	__type(value, __u64);
} percpu_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, ROOM);
	__type(key, __u32);
	__type(value, __u64);
} lru_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ROOM);
	__type(key, __u32);
	__type(value, __u64);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct results {
	__u64 attempts;
	__u64 done;
	__u64 refused; /* for want of room */
	__u64 busy;
	__u64 others;
};

struct results of_hash;
struct results of_percpu_hash;
struct results of_lru_hash;
struct results of_array;
struct results of_ring;
__u64 found_outside; /* elements that no array has */

static __always_inline void note(struct results *results, long result, long refusal)
{
	count(&results->attempts, 1);
	if (result == 0)
		count(&results->done, 1);
	else if (result == refusal)
		count(&results->refused, 1);
	else if (result == -EBUSY)
		count(&results->busy, 1);
	else
		count(&results->others, 1);
}

SEC("gpu/entry:work_probed")
int overfill(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx), key = thread * 3,
	      outside = ROOM + mix(thread) % (~0U - ROOM);
	__u64 long_key = key, value = thread;
	static const char record[2048] = {};

	note_block(ctx);
	if (ctx->lane_id >= 4)
		return 0;
	note(&of_hash, bpf_map_update_elem(&hash, &key, &value, BPF_NOEXIST), -E2BIG);
	note(&of_percpu_hash, bpf_map_update_elem(&percpu_hash, &long_key, &value, BPF_NOEXIST),
	     -E2BIG);
	note(&of_lru_hash, bpf_map_update_elem(&lru_hash, &key, &value, BPF_NOEXIST), -E2BIG);
	note(&of_array, bpf_map_update_elem(&array, &outside, &value, BPF_ANY), -E2BIG);
	note(&of_ring, bpf_ringbuf_output(&ring, record, sizeof(record), 0), -EAGAIN);
	if (bpf_map_lookup_elem(&array, &outside))
		count(&found_outside, 1);
	return 0;
}
