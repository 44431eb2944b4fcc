/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A loop whose bound depends on the thread: squares, mixed.
 *
 * expect results[0] = 0
 * expect results[3] = 16
 * expect results[127] = 1280
 * expect sum results = 44736
 */
#include "example.bpf.h"

SEC("gpu/entry:*")
int loop_sum(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u32 n = thread & 15;
	__u64 sum = 0;

	for (__u32 i = 1; i <= 15; i++) {
		if (i > n)
			break;
		sum = (sum ^ i) + i * i;
	}
	store_result(thread, sum);
	return 0;
}
