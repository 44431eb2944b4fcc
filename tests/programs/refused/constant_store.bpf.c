// expect: line 10: a pointer into .rodata, which is read only
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

static const volatile __u32 limit = 5;

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	*(volatile __u32 *)&limit = ctx->lane_id;
	return 0;
}
