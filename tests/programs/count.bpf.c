/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Counts threads: one atomic addition in a per-SM array. */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 64);
	__type(key, egpu_kernel_id);
	__type(value, __u64);
} threads SEC(".maps");

SEC("gpu/entry:*")
int count(struct egpu_ctx *ctx)
{
	egpu_kernel_id kernel = ctx->kernel_id;
	__u64 *total = bpf_map_lookup_elem(&threads, &kernel);

	if (total)
		__atomic_fetch_add(total, 1, __ATOMIC_RELAXED);
	return 0;
}
