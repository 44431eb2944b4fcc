// expect: line 18: this chain of calls needs
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

static __attribute__((noinline)) int fill(int number)
{
	volatile __u64 numbers[40] = {0};

	numbers[number & 31] = 1;
	return (int)numbers[0];
}

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	volatile __u64 numbers[40] = {0};

	return fill((int)ctx->lane_id) + (int)numbers[0];
}
