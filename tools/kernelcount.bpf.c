/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Counts the launches of every kernel and the threads that ran it. Page: kernelcount.md. */
#include <egpu/egpu.bpf.h>

struct kernel_count {
	__u64 launches;
	__u64 threads;
};

/*
 * One shard for each SM: threads on different SMs never touch the same cache line, and egpu adds
 * the shards up when it prints.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1024);
	__type(key, egpu_kernel_id);
	__type(value, struct kernel_count);
} kernels SEC(".maps");

SEC("gpu/entry:*")
int count_entry(struct egpu_ctx *ctx)
{
	egpu_kernel_id kernel = ctx->kernel_id;
	struct kernel_count *count = bpf_map_lookup_elem(&kernels, &kernel);

	if (!count)
		return 0;
	__atomic_fetch_add(&count->threads, 1, __ATOMIC_RELAXED);
	if (egpu_is_first_thread(ctx))
		__atomic_fetch_add(&count->launches, 1, __ATOMIC_RELAXED);
	return 0;
}
