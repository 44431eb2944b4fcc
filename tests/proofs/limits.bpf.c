/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * One thread asks maps and rings for what they do not have or have no room for, and notes what it
 * got beside what it should get.
 */
#include "common.bpf.h"

#define ENOSPC 28
#define MOST_CHECKS 64

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} percpu_array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} lru_hash SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 2);
	__type(value, __u64);
} queue SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, 2);
	__type(value, __u64);
} stack SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 0);
} events SEC(".maps");

struct check {
	__s64 got;
	__s64 expected;
};

struct check checks[MOST_CHECKS];
__u64 done;

static __always_inline void expect(__u32 *at, __s64 got, __s64 expected)
{
	if (*at >= MOST_CHECKS)
		return;
	checks[*at].got = got;
	checks[*at].expected = expected;
	*at += 1;
}

static __always_inline void ask_arrays(__u32 *at)
{
	__u32 last = 3, end = 4, far = ~0U;
	__u64 value = 7;

	expect(at, bpf_map_update_elem(&array, &last, &value, BPF_ANY), 0);
	expect(at, bpf_map_update_elem(&array, &last, &value, BPF_NOEXIST), -EEXIST);
	expect(at, bpf_map_update_elem(&array, &last, &value, 3), -EINVAL);
	expect(at, bpf_map_update_elem(&array, &end, &value, BPF_ANY), -E2BIG);
	expect(at, bpf_map_update_elem(&array, &far, &value, BPF_EXIST), -E2BIG);
	expect(at, bpf_map_lookup_elem(&array, &end) != 0, 0);
	expect(at, bpf_map_lookup_elem(&array, &far) != 0, 0);
	expect(at, bpf_map_delete_elem(&array, &last), -EINVAL);
	expect(at, bpf_map_update_elem(&percpu_array, &last, &value, BPF_EXIST), 0);
	expect(at, bpf_map_update_elem(&percpu_array, &end, &value, BPF_ANY), -E2BIG);
	expect(at, bpf_map_lookup_elem(&percpu_array, &far) != 0, 0);
	expect(at, bpf_map_delete_elem(&percpu_array, &end), -EINVAL);
}

static __always_inline void ask_hashes(__u32 *at)
{
	__u32 key = 1;
	__u64 value = 7;

	expect(at, bpf_map_update_elem(&hash, &key, &value, BPF_EXIST), -ENOENT);
	expect(at, bpf_map_delete_elem(&hash, &key), -ENOENT);
	expect(at, bpf_map_update_elem(&hash, &key, &value, 3), -EINVAL);
	expect(at, bpf_map_update_elem(&hash, &key, &value, BPF_NOEXIST), 0);
	expect(at, bpf_map_update_elem(&hash, &key, &value, BPF_NOEXIST), -EEXIST);
	key = 2;
	expect(at, bpf_map_update_elem(&hash, &key, &value, BPF_ANY), 0);
	key = 3;
	expect(at, bpf_map_update_elem(&hash, &key, &value, BPF_ANY), -E2BIG);
	expect(at, bpf_map_lookup_elem(&hash, &key) != 0, 0);
	key = 2;
	expect(at, bpf_map_delete_elem(&hash, &key), 0);
	key = 3;
	expect(at, bpf_map_update_elem(&hash, &key, &value, BPF_ANY), 0);
	for (key = 0; key < 5; ++key)
		expect(at, bpf_map_update_elem(&lru_hash, &key, &value, BPF_NOEXIST), 0);
	key = 4;
	expect(at, bpf_map_lookup_elem(&lru_hash, &key) != 0, 1);
}

static __always_inline void ask_queues(__u32 *at)
{
	__u64 value = 1;

	expect(at, bpf_map_pop_elem(&queue, &value), -ENOENT);
	expect(at, value, 0);
	expect(at, bpf_map_peek_elem(&stack, &value), -ENOENT);
	for (value = 1; value < 3; ++value) {
		expect(at, bpf_map_push_elem(&queue, &value, BPF_ANY), 0);
		expect(at, bpf_map_push_elem(&stack, &value, BPF_ANY), 0);
	}
	expect(at, bpf_map_push_elem(&queue, &value, BPF_ANY), -E2BIG);
	expect(at, bpf_map_push_elem(&stack, &value, BPF_NOEXIST), -EINVAL);
	expect(at, bpf_map_push_elem(&queue, &value, BPF_EXIST), 0);
	bpf_map_pop_elem(&queue, &value);
	expect(at, value, 2);
	bpf_map_pop_elem(&stack, &value);
	expect(at, value, 2);
}

static __always_inline void ask_rings(__u32 *at, struct egpu_ctx *ctx)
{
	static const char record[262144] = {};
	void *reserved = bpf_ringbuf_reserve(&ring, 1017, 0);

	expect(at, reserved != 0, 0);
	if (reserved)
		bpf_ringbuf_discard(reserved, 0);
	expect(at, bpf_ringbuf_output(&ring, record, 1017, 0), -EAGAIN);
	expect(at, bpf_ringbuf_output(&ring, record, 1016, 0), 0);
	expect(at, bpf_ringbuf_output(&ring, record, 8, 4), -EINVAL);
	expect(at, bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, record, 262144), -E2BIG);
	expect(at, bpf_perf_event_output(ctx, &events, 1000000, record, 8), -E2BIG);
	expect(at, bpf_perf_event_output(ctx, &events, BPF_F_CURRENT_CPU, record, 8), 0);
	expect(at, bpf_printk("asked %u times", *at) > 0, 1);
}

SEC("gpu/entry:work_probed")
int ask(struct egpu_ctx *ctx)
{
	__u32 at = 0;

	note_block(ctx);
	if (!egpu_is_first_thread(ctx))
		return 0;
	ask_arrays(&at);
	ask_hashes(&at);
	ask_queues(&at);
	ask_rings(&at, ctx);
	done = at;
	return 0;
}
