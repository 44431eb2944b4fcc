/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * bpf_map_update_elem and bpf_map_delete_elem on arrays: values of every kind of size arrive whole,
 * and what cannot be done gives the error of Linux.
 *
 * expect results[5] = 15
 * expect errors[0] = 0
 * expect errors[1] = 0
 * expect errors[2] = 17
 * expect errors[3] = 22
 * expect errors[4] = 7
 * expect errors[5] = 7
 * expect errors[6] = 22
 * expect errors[7] = 22
 * expect errors[8] = 22
 * expect errors[9] = 17
 * expect sum results = 1920
 * expect sum bytes = 8128
 */
#include "example.bpf.h"

struct odd {
	__u64 whole;
	__u32 half;
	__u16 quarter;
	__u8 last;
} __attribute__((packed));

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, THREADS);
	__type(key, __u32);
	__type(value, struct odd);
} odds SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, THREADS);
	__type(key, __u32);
	__type(value, __u8);
} bytes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u32);
} shards SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 10);
	__type(key, __u32);
	__type(value, __u32);
} errors SEC(".maps");

static __always_inline void store_error(__u32 number, long error)
{
	__u32 *slot = bpf_map_lookup_elem(&errors, &number);

	if (slot)
		*slot = -error;
}

static __always_inline void try_flags(void)
{
	__u32 key = 1, behind = THREADS;
	__u8 value = 1;

	store_error(0, bpf_map_update_elem(&bytes, &key, &value, BPF_ANY));
	store_error(1, bpf_map_update_elem(&bytes, &key, &value, BPF_EXIST));
	store_error(2, bpf_map_update_elem(&bytes, &key, &value, BPF_NOEXIST));
	store_error(3, bpf_map_update_elem(&bytes, &key, &value, 3));
	store_error(4, bpf_map_update_elem(&bytes, &behind, &value, BPF_ANY));
	store_error(5, bpf_map_update_elem(&bytes, &behind, &value, BPF_NOEXIST));
	store_error(6, bpf_map_update_elem(&bytes, &key, &value, 1ULL << 40));
	store_error(7, bpf_map_update_elem(&bytes, &key, &value, 4 /* BPF_F_LOCK */));
	store_error(8, bpf_map_delete_elem(&bytes, &key));
	store_error(9, bpf_map_update_elem(&shards, &key, &key, BPF_NOEXIST));
}

SEC("gpu/entry:*")
int update_array(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u8 byte = thread;
	struct odd odd = {.whole = 1, .half = 2, .quarter = 4, .last = 8}, *found;
	__u32 zero = 0;

	bpf_map_update_elem(&bytes, &thread, &byte, BPF_ANY);
	bpf_map_update_elem(&odds, &thread, &odd, BPF_EXIST);
	bpf_map_update_elem(&shards, &zero, &thread, BPF_ANY);
	found = bpf_map_lookup_elem(&odds, &thread);
	if (found)
		store_result(thread, found->whole + found->half + found->quarter + found->last);
	if (thread == 1)
		try_flags();
	return 0;
}
