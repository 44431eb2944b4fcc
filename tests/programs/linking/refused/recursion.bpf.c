// expect: line 9: the function calls itself
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

static __attribute__((noinline)) __u32 factorial(__u32 number)
{
	if (number < 2)
		return 1;
	return number + factorial(number - 1) * number;
}

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return factorial(ctx->lane_id);
}
