/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * An array on the stack with a computed index.
 *
 * expect results[0] = 22222222
 * expect results[3] = 22222222
 * expect sum results = 2844444416
 */
#include "example.bpf.h"

SEC("gpu/entry:*")
int stack_array(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u32 counts[8] = {};
	__u64 result = 0;

	for (__u32 i = 0; i < 16; i++)
		counts[(thread + i * 3) & 7]++;
	for (__u32 i = 0; i < 8; i++)
		result = result * 10 + counts[i];
	store_result(thread, result);
	return 0;
}
