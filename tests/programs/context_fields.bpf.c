/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Every field of the context, mixed into one number for each kernel. */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 16);
	__type(key, egpu_kernel_id);
	__type(value, __u64);
} sums SEC(".maps");

static __always_inline __u64 linear(const volatile struct egpu_dim3 *at)
{
	return at->x + 3ULL * at->y + 7ULL * at->z;
}

SEC("gpu/entry:*")
int fields(struct egpu_ctx *ctx)
{
	egpu_kernel_id kernel = ctx->kernel_id;
	__u64 sum = linear(&ctx->thread_idx) ^ linear(&ctx->block_idx) ^ linear(&ctx->block_dim) ^
		    linear(&ctx->grid_dim);
	__u64 *total = bpf_map_lookup_elem(&sums, &kernel);

	if (!total)
		return 0;
	sum += ctx->lane_id + ctx->warp_id + ctx->sm_id;
	sum ^= (__u64)ctx->active_mask << 8 | ctx->site_id;
	__atomic_fetch_add(total, sum, __ATOMIC_RELAXED);
	return 0;
}
