// expect: calls of subprograms are not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

static __attribute__((noinline)) int twice(int number)
{
	asm volatile("" : "+r"(number));
	return 2 * number;
}

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return twice((int)ctx->lane_id);
}
