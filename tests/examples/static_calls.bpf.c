/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Static functions that stay functions, with up to five arguments.
 *
 * expect results[0] = 12345
 * expect results[2] = 34567
 * expect sum results = 91890368
 */
#include "example.bpf.h"

static NOINLINE __u64 digits(__u64 a, __u64 b, __u64 c, __u64 d, __u64 e)
{
	return a * 10000 + b * 1000 + c * 100 + d * 10 + e;
}

static NOINLINE __u64 shifted(__u64 by)
{
	return digits(1 + by, 2 + by, 3 + by, 4 + by, 5 + by);
}

SEC("gpu/entry:*")
int static_calls(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);

	store_result(thread, shifted(thread));
	return 0;
}
