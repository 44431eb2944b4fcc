/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Hashes: counts under keys of several fields, keys that go again, a map that gets full, visits of
 * all keys; a queue.
 *
 * expect sum counts = 128
 * expect shards[3] = 16
 * expect sum shards = 128
 * expect moving[9] = 0
 * expect moving[10] = 10
 * expect sum moving = 4032
 * expect sum small = 4
 * expect sum pushed = 8128
 * expect results[0] = 0
 * expect refused = 124
 * expect sum results = 0
 */
#include "example.bpf.h"

/* Without gaps: a key is compared byte by byte. */
struct place {
	__u16 column;
	__u16 row;
	__u32 zero;
	__u64 other;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 10);
	__type(key, struct place);
	__type(value, __u32);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 8);
	__type(key, __u64);
	__type(value, __u32);
} shards SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, THREADS);
	__type(key, __u32);
	__type(value, __u64);
} moving SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u8);
} small SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, THREADS);
	__type(value, __u32);
} pushed SEC(".maps");

__u64 refused;

/* Adds one under the key; 0, or the error. */
static __always_inline long count(void *map, const void *key)
{
	__u32 one = 1, *value = bpf_map_lookup_elem(map, key);
	long result;

	if (!value) {
		result = bpf_map_update_elem(map, key, &one, BPF_NOEXIST);
		if (result != -17 /* EEXIST */)
			return result;
		value = bpf_map_lookup_elem(map, key);
		if (!value)
			return -2;
	}
	__sync_fetch_and_add(value, 1);
	return 0;
}

SEC("gpu/entry:*")
int hash_counts(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	struct place place = {.column = thread % 5, .row = thread & 1, .other = ~0ULL};
	__u64 shard = thread & 7, value = thread;
	__u8 one = 1;
	long errors = 0;

	errors |= count(&counts, &place);
	errors |= count(&shards, &shard);
	errors |= bpf_map_update_elem(&moving, &thread, &value, BPF_NOEXIST);
	if (thread & 1)
		errors |= bpf_map_delete_elem(&moving, &thread);
	if (bpf_map_update_elem(&small, &thread, &one, BPF_ANY) == -7 /* E2BIG */)
		__sync_fetch_and_add(&refused, 1);
	errors |= bpf_map_push_elem(&pushed, &thread, BPF_ANY);
	store_result(thread, errors);
	return 0;
}
