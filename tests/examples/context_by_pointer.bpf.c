/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Functions get the context itself, and take different fields from it.
 *
 * expect results[0] = 64
 * expect results[127] = 1063064
 * expect sum results = 68040192
 */
#include "example.bpf.h"

static NOINLINE __u64 position(struct egpu_ctx *ctx)
{
	return (__u64)ctx->block_idx.x * 1000000 + ctx->thread_idx.x * 1000ULL;
}

static NOINLINE __u64 shape(struct egpu_ctx *ctx)
{
	return (__u64)ctx->block_dim.x * ctx->grid_dim.y;
}

SEC("gpu/entry:*")
int context_by_pointer(struct egpu_ctx *ctx)
{
	store_result(thread_of(ctx), position(ctx) + shape(ctx));
	return 0;
}
