/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Global functions: the greatest common divisor, by subtraction and by remainder.
 *
 * expect results[0] = 0
 * expect results[36] = 12000012
 * expect results[35] = 1000001
 * expect sum results = 518000518
 */
#include "example.bpf.h"

NOINLINE __u32 by_remainder(__u32 a, __u32 b)
{
	for (int i = 0; i < 16; i++) {
		__u32 rest;

		if (b == 0)
			break;
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

NOINLINE __u32 by_subtraction(__u32 a, __u32 b)
{
	for (int i = 0; i < 40; i++) {
		if (a == b)
			return a;
		if (a > b)
			a -= b;
		else
			b -= a;
	}
	return 0;
}

SEC("gpu/entry:*")
int global_calls(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u64 result = 0;

	if (thread != 0)
		result = by_remainder(thread, 24) * 1000000ULL + by_subtraction(thread, 24);
	store_result(thread, result);
	return 0;
}
