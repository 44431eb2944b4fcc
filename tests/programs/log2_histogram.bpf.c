/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* How large the blocks are, on a log2 scale: a loop with a constant bound, in one thread of each
 * block. */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 33);
	__type(key, __u32);
	__type(value, __u64);
} block_sizes SEC(".maps");

SEC("gpu/entry:*")
int histogram(struct egpu_ctx *ctx)
{
	__u32 threads = ctx->block_dim.x * ctx->block_dim.y * ctx->block_dim.z;
	__u32 slot = 0;
	__u64 *total;

	if (ctx->thread_idx.x | ctx->thread_idx.y | ctx->thread_idx.z)
		return 0;
#pragma clang loop unroll(disable)
	for (int i = 0; i < 32; i++) {
		if (threads == 0)
			break;
		threads >>= 1;
		slot++;
	}
	total = bpf_map_lookup_elem(&block_sizes, &slot);
	if (total)
		__atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
	return 0;
}
