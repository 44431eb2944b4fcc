/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Shared by the probes of scripts/gpu/maps. They fire in the kernels of work.cu, whose grids are
 * one-dimensional, and check what they can themselves; prove.py checks what they leave.
 */
#ifndef COMMON_BPF_H
#define COMMON_BPF_H

#include <egpu/egpu.bpf.h>

#define ENOENT 2
#define E2BIG 7
#define EAGAIN 11
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22

#define MOST_SMS 256

/* Another run does other things. */
const volatile __u32 seed = 1;

/* Which SMs took part. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_SMS);
	__type(key, __u32);
	__type(value, __u64);
} blocks_of_sm SEC(".maps");

static __always_inline __u32 thread_of(const struct egpu_ctx *ctx)
{
	return ctx->block_idx.x * ctx->block_dim.x + ctx->thread_idx.x;
}

static __always_inline void count(__u64 *number, __u64 more)
{
	if (more)
		__atomic_fetch_add(number, more, __ATOMIC_RELAXED);
}

static __always_inline void note_block(const struct egpu_ctx *ctx)
{
	__u32 sm = ctx->sm_id;
	__u64 *blocks;

	if (ctx->thread_idx.x != 0)
		return;
	blocks = bpf_map_lookup_elem(&blocks_of_sm, &sm);
	if (blocks)
		count(blocks, 1);
}

static __always_inline __u32 mix(__u32 number)
{
	number ^= number >> 16;
	number *= 0x7feb352d;
	number ^= number >> 15;
	number *= 0x846ca68b;
	return number ^ number >> 16;
}

static __always_inline __u32 next_random(__u32 *state)
{
	*state += 0x9e3779b9;
	return mix(*state);
}

#endif
