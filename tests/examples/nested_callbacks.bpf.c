/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * bpf_loop in the callback of bpf_loop.
 *
 * expect results[0] = 0
 * expect results[7] = 84
 * expect sum results = 3584
 */
#include "example.bpf.h"

struct outer {
	__u64 sum;
	__u32 inner_loops;
};

static int inner(__u32 index, __u64 *sum)
{
	*sum += index;
	return 0;
}

static int outer(__u32 index, struct outer *state)
{
	__u64 sum = 0;

	bpf_loop(state->inner_loops & 7, inner, &sum, 0);
	state->sum += sum * (index & 1);
	return 0;
}

SEC("gpu/entry:*")
int nested_callbacks(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	struct outer state = {.sum = 0, .inner_loops = thread & 7};

	bpf_loop(8, outer, &state, 0);
	store_result(thread, state.sum);
	return 0;
}
