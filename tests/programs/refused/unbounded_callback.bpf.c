// expect: line 13: the number of loops needs an upper bound
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

static int nothing(__u32 index, void *context)
{
	return 0;
}

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	bpf_loop(ctx->grid_dim.x, nothing, (void *)0, 0);
	return 0;
}
