/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Loops in loops: how many pairs (i, j) below 12 have i * j divisible by the thread's divisor.
 *
 * expect results[0] = 144
 * expect results[1] = 108
 * expect results[4] = 63
 * expect sum results = 9952
 */
#include "example.bpf.h"

SEC("gpu/entry:*")
int nested_loops(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u32 divisor = (thread & 7) + 1;
	__u64 found = 0;

	for (__u32 i = 0; i < 12; i++) {
		for (__u32 j = 0; j < 12; j++) {
			if ((i * j) % divisor == 0)
				found++;
		}
	}
	store_result(thread, found);
	return 0;
}
