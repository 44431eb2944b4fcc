/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Shared by the examples of this folder. Each runs in a grid of 2 blocks of 64 threads and leaves
 * numbers that do not depend on the order of the threads; the comment at its head says which
 * (format: tests/support/expectations.h).
 */
#ifndef EXAMPLE_BPF_H
#define EXAMPLE_BPF_H

#include <egpu/egpu.bpf.h>

#define NOINLINE __attribute__((noinline))
#define THREADS 128

/* One slot for each thread. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, THREADS);
	__type(key, __u32);
	__type(value, __u64);
} results SEC(".maps");

/* 0 to 127 */
static __always_inline __u32 thread_of(const struct egpu_ctx *ctx)
{
	return ctx->block_idx.x * 64 + ctx->thread_idx.x;
}

static __always_inline void store_result(__u32 thread, __u64 result)
{
	__u64 *slot = bpf_map_lookup_elem(&results, &thread);

	if (slot)
		*slot = result;
}

#endif
