/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Shared by the probes that measure maps. */
#ifndef BENCH_BPF_H
#define BENCH_BPF_H

#include <egpu/egpu.bpf.h>

/* Threads of the largest launch under measurement (bench/gpu/probe_cost.cu). */
#define MOST_THREADS (64 << 20)

/* In a one-dimensional grid. */
static __always_inline __u32 thread_of(const struct egpu_ctx *ctx)
{
	return ctx->block_idx.x * ctx->block_dim.x + ctx->thread_idx.x;
}

/* Adds one to the value under a key of a hash, which comes with its first one. */
static __always_inline void count_under(void *counts, const void *key)
{
	__u64 one = 1, *count;

	count = bpf_map_lookup_elem(counts, key);
	if (!count) {
		if (bpf_map_update_elem(counts, key, &one, BPF_NOEXIST) == 0)
			return;
		count = bpf_map_lookup_elem(counts, key);
		if (!count)
			return;
	}
	__atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

#endif
