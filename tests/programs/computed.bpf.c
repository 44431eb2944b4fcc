/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Functions, callbacks and variables whose results depend on the context alone. */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} values SEC(".maps");

const volatile __u32 rounds = 10;
static const __u8 weights[4] = {1, 3, 5, 7};
__u64 runs = 100;
__u64 last_sum;

struct sum {
	__u64 value;
	__u32 limit;
};

static long add_index(__u32 index, void *data)
{
	struct sum *sum = data;

	if (index >= sum->limit)
		return 1;
	sum->value += index;
	return 0;
}

static long add_weighted(void *map, void *key, void *value, void *data)
{
	const struct sum *sum = data;
	__u32 index = *(__u32 *)key;

	__atomic_fetch_add((__u64 *)value, sum->value * weights[index & 3], __ATOMIC_RELAXED);
	return index == 2;
}

static __attribute__((noinline)) __u64 site(const struct egpu_ctx *ctx)
{
	return ctx->site_id;
}

SEC("gpu/entry:*")
int computed(struct egpu_ctx *ctx)
{
	struct sum sum = {.limit = ctx->lane_id};
	__u64 calls = bpf_loop(rounds, add_index, &sum, 0);
	__u64 visited = bpf_for_each_map_elem(&values, add_weighted, &sum, 0);

	__atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED);
	last_sum = sum.value;
	return calls * 10000 + visited * 100 + site(ctx);
}
