/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A loop that ends when it is done: steps of the Collatz sequence.
 *
 * expect results[0] = 0
 * expect results[26] = 111
 * expect results[126] = 46
 * expect sum results = 4611
 */
#include "example.bpf.h"

struct state {
	__u64 number;
	__u64 steps;
};

static int step(__u32 index, struct state *state)
{
	if (state->number == 1)
		return 1;
	if (state->number & 1)
		state->number = 3 * state->number + 1;
	else
		state->number >>= 1;
	state->steps++;
	return 0;
}

SEC("gpu/entry:*")
int collatz(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	struct state state = {.number = thread + 1, .steps = 0};

	bpf_loop(200, step, &state, 0);
	store_result(thread, state.steps);
	return 0;
}
