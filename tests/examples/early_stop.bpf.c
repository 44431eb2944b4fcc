/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A callback that ends the loop, and what bpf_loop returns: how many loops were done.
 *
 * expect results[0] = 1
 * expect results[5] = 6
 * expect results[127] = 20
 * expect results[126] = 20
 * expect sum results = 2370
 */
#include "example.bpf.h"

static int stop_at(__u32 index, __u64 *last)
{
	return index == *last;
}

SEC("gpu/entry:*")
int early_stop(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u64 last = thread;
	long loops = bpf_loop(20, stop_at, &last, 0);

	store_result(thread, loops);
	return 0;
}
