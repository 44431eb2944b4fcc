/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Shared by the probes that measure maps: numbers of threads and warps in a one-dimensional grid.
 */
#ifndef BENCH_BPF_H
#define BENCH_BPF_H

#include <egpu/egpu.bpf.h>

/* Threads of the largest launch under measurement (bench/gpu/probe_cost.cu). */
#define MOST_THREADS (64 << 20)

static __always_inline __u32 thread_of(const struct egpu_ctx *ctx)
{
	return ctx->block_idx.x * ctx->block_dim.x + ctx->thread_idx.x;
}

#endif
