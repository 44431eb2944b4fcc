/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * bpf_loop: the callback gets a variable of the program's stack.
 *
 * expect results[0] = 0
 * expect results[100] = 495000
 * expect sum results = 32686752
 */
#include "example.bpf.h"

struct state {
	__u64 sum;
	__u64 factor;
};

static int add_index(__u32 index, struct state *state)
{
	state->sum += index * state->factor;
	return 0;
}

SEC("gpu/entry:*")
int loop_callback(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	struct state state = {.sum = 0, .factor = thread};

	bpf_loop(thread & 127, add_index, &state, 0);
	store_result(thread, state.sum);
	return 0;
}
