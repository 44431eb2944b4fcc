/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Counts the threads that begin and those that end, for each kernel. */
#include <egpu/egpu.bpf.h>

struct threads {
	__u64 begun;
	__u64 ended;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1024);
	__type(key, egpu_kernel_id);
	__type(value, struct threads);
} lifetimes SEC(".maps");

SEC("gpu/entry:*")
int begin(struct egpu_ctx *ctx)
{
	egpu_kernel_id kernel = ctx->kernel_id;
	struct threads *threads = bpf_map_lookup_elem(&lifetimes, &kernel);

	if (threads)
		__atomic_fetch_add(&threads->begun, 1, __ATOMIC_RELAXED);
	return 0;
}

SEC("gpu/exit:*")
int end(struct egpu_ctx *ctx)
{
	egpu_kernel_id kernel = ctx->kernel_id;
	struct threads *threads = bpf_map_lookup_elem(&lifetimes, &kernel);

	if (threads)
		__atomic_fetch_add(&threads->ended, 1, __ATOMIC_RELAXED);
	return 0;
}
