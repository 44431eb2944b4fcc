// expect: calls are nested deeper than 8 frames
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

#define __noinline __attribute__((noinline))

static __noinline __u32 f8(__u32 n)
{
	return n * n;
}

static __noinline __u32 f7(__u32 n)
{
	return f8(n + 7) * n;
}

static __noinline __u32 f6(__u32 n)
{
	return f7(n + 6) * n;
}

static __noinline __u32 f5(__u32 n)
{
	return f6(n + 5) * n;
}

static __noinline __u32 f4(__u32 n)
{
	return f5(n + 4) * n;
}

static __noinline __u32 f3(__u32 n)
{
	return f4(n + 3) * n;
}

static __noinline __u32 f2(__u32 n)
{
	return f3(n + 2) * n;
}

static __noinline __u32 f1(__u32 n)
{
	return f2(n + 1) * n;
}

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return f1(ctx->lane_id);
}
