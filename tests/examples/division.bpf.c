/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Division and remainder, in both widths, by numbers that may be zero.
 *
 * expect results[0] = 1310828363085709530
 * expect results[7] = 162731864522862198
 * expect results[127] = 9220121745133609
 * expect sum results = 7118696619094223146
 */
#include "example.bpf.h"

SEC("gpu/entry:*")
int division(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u32 divisor = thread & 7;
	__u64 wide = 0x123456789abcdef0ULL + thread;
	__u32 narrow = 0x89abcdefU - thread;
	__u64 result = wide / (thread + 1) + wide % (thread + 1);

	if (divisor != 0)
		result += narrow / divisor + narrow % divisor;
	result ^= wide / 1000;
	result += narrow % 97;
	store_result(thread, result);
	return 0;
}
