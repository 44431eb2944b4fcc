/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Static and global functions, in .text and in the program's own section; callbacks; two programs.
 */
#include <egpu/egpu.bpf.h>

#define __noinline __attribute__((noinline))

struct total {
	__u64 sum;
};

static __noinline __u32 triple(__u32 number)
{
	return number * 3 + 1;
}

__noinline __u32 triple_twice(__u32 number)
{
	return triple(triple(number));
}

static int add(__u32 index, void *context)
{
	struct total *total = context;

	total->sum += triple(index);
	return 0;
}

SEC("gpu/entry:*")
int first(struct egpu_ctx *ctx)
{
	struct total total = {0};

	bpf_loop(4, add, &total, 0);
	return total.sum + triple_twice(ctx->lane_id);
}

static __noinline SEC("gpu/entry:*") int scramble(__u32 number)
{
	return (number ^ 0x55) * 7;
}

SEC("gpu/entry:*")
int second(struct egpu_ctx *ctx)
{
	return scramble(ctx->lane_id) + scramble(ctx->warp_id) + triple(ctx->sm_id);
}
