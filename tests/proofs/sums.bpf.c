/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Every thread counts under one of `keys` keys in maps of each type, and adds its number. Additions
 * that fetch give each number from 0 on once to somebody, so what they gave adds up to
 * n * (n - 1) / 2.
 */
#include "common.bpf.h"

#define MOST_KEYS (1 << 16)

const volatile __u32 keys = 1024;

struct sum {
	__u64 threads;
	__u64 numbers;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_KEYS);
	__type(key, __u32);
	__type(value, struct sum);
} array SEC(".maps");

struct fetched {
	__u64 threads;
	__u64 given;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_KEYS);
	__type(key, __u32);
	__type(value, struct fetched);
} fetching SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MOST_KEYS);
	__type(key, __u32);
	__type(value, struct sum);
} percpu_array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MOST_KEYS);
	__type(key, __u32);
	__type(value, struct sum);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, MOST_KEYS);
	__type(key, __u64);
	__type(value, struct sum);
} percpu_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MOST_KEYS);
	__type(key, __u32);
	__type(value, struct sum);
} lru_hash SEC(".maps");

__u64 threads;
__u64 numbers;
__u64 missed; /* additions that found no element, and could not make one */

static __always_inline void add_to(struct sum *sum, __u32 number)
{
	__atomic_fetch_add(&sum->threads, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&sum->numbers, number, __ATOMIC_RELAXED);
}

static __always_inline void add_under(void *map, const void *key, __u32 number)
{
	struct sum first = {.threads = 1, .numbers = number}, *sum;

	sum = bpf_map_lookup_elem(map, key);
	if (!sum) {
		if (bpf_map_update_elem(map, key, &first, BPF_NOEXIST) == 0)
			return;
		sum = bpf_map_lookup_elem(map, key);
	}
	if (sum)
		add_to(sum, number);
	else
		count(&missed, 1);
}

static __always_inline void fetch(__u32 key)
{
	struct fetched *fetched = bpf_map_lookup_elem(&fetching, &key);

	if (fetched)
		count(&fetched->given, __atomic_fetch_add(&fetched->threads, 1, __ATOMIC_SEQ_CST));
}

SEC("gpu/entry:work_probed")
int add(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx), key = mix(thread ^ mix(seed)) % keys;
	__u64 long_key = key;

	note_block(ctx);
	__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&numbers, thread, __ATOMIC_RELAXED);
	add_under(&array, &key, thread);
	add_under(&percpu_array, &key, thread);
	add_under(&hash, &key, thread);
	add_under(&percpu_hash, &long_key, thread);
	add_under(&lru_hash, &key, thread);
	fetch(key);
	return 0;
}
