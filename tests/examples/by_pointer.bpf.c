/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A function works on its caller's variables through a pointer.
 *
 * expect results[0] = 1
 * expect results[10] = 21571
 * expect sum results = 7409493056
 */
#include "example.bpf.h"

struct pair {
	__u64 low;
	__u64 high;
};

static NOINLINE void step(struct pair *pair, __u64 by)
{
	__u64 next = pair->low + pair->high * by;

	pair->high = pair->low;
	pair->low = next;
}

SEC("gpu/entry:*")
int by_pointer(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	struct pair pair = {.low = 1, .high = 0};

	for (int i = 0; i < 8; i++)
		step(&pair, thread);
	store_result(thread, pair.low);
	return 0;
}
