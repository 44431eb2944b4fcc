/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Maps with values of every shape that src/maps shows, for its tests. */
#include <egpu/egpu.bpf.h>

enum colour { RED = 0, GREEN = 1, BLUE = -1 };

struct inner {
	__u32 a;
	__s16 b;
};

union number {
	__u8 first;
	__u64 whole;
};

struct everything {
	__u64 count;
	__s32 balance;
	_Bool seen;
	char name[8];
	enum colour colour;
	struct inner nested;
	struct inner pair[2];
	struct {
		__u16 inlined;
	};
	__u32 low : 3;
	__u32 high : 13;
	void *pointer;
	union number either;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 3);
	__type(key, __u32);
	__type(value, struct everything);
} everything SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, egpu_kernel_id);
	__type(value, __u32);
} numbers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 12);
} untyped SEC(".maps");

struct work {
	egpu_kernel_id largest;
	__u32 calls;
	struct egpu_log2_hist sizes;
	EGPU_LINEAR_HIST(10, 5, 3) depths;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, egpu_kernel_id);
	__type(value, struct work);
} work SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, egpu_log2_slot);
	__type(value, __u64);
} by_size SEC(".maps");

SEC("gpu/entry:*")
int touch(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	__u32 *number = bpf_map_lookup_elem(&numbers, &key);
	struct everything *all = bpf_map_lookup_elem(&everything, &key);
	void *bytes = bpf_map_lookup_elem(&untyped, &key);
	return number && all && bytes;
}
