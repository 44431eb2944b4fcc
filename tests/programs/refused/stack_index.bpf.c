// expect: line 10: may be outside the stack
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	volatile __u32 lanes[8] = {0};

	return (int)lanes[ctx->lane_id & 15];
}
