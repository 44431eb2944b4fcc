/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Eight frames, the most there may be: each adds its digit.
 *
 * expect results[0] = 7654321
 * expect results[1] = 17654321
 * expect sum results = 82259753088
 */
#include "example.bpf.h"

#define LEVEL(n, next)                                                                             \
	static NOINLINE __u64 level##n(__u64 value)                                                \
	{                                                                                          \
		return next(value) * 10 + (n);                                                     \
	}

static NOINLINE __u64 level7(__u64 value)
{
	return value * 10 + 7;
}
LEVEL(6, level7)
LEVEL(5, level6)
LEVEL(4, level5)
LEVEL(3, level4)
LEVEL(2, level3)
LEVEL(1, level2)

SEC("gpu/entry:*")
int deep_calls(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);

	store_result(thread, level1(thread));
	return 0;
}
