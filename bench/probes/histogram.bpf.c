/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Each warp counts in a histogram of powers of two, one shard per SM. */
#include "bench.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} histogram_of SEC(".maps");

/* The number of bits of a number, without a loop. */
static __always_inline __u32 bits_of(__u32 number)
{
	__u32 bits = 0;

	if (number >> 16) {
		bits = 16;
		number >>= 16;
	}
	if (number >> 8) {
		bits += 8;
		number >>= 8;
	}
	if (number >> 4) {
		bits += 4;
		number >>= 4;
	}
	if (number >> 2) {
		bits += 2;
		number >>= 2;
	}
	return bits + (number >> 1 ? 2 : number);
}

SEC("gpu/entry:*_probed")
int histogram(struct egpu_ctx *ctx)
{
	__u32 key = bits_of(egpu_clock() & 0xfffff);
	__u64 *count;

	if (ctx->lane_id != 0)
		return 0;
	count = bpf_map_lookup_elem(&histogram_of, &key);
	if (count)
		__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
	return 0;
}
