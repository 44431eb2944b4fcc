/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Global variables: with a value to start from, and without.
 *
 * expect total = 1128
 * expect highest_bits = 127
 * expect counters[0] = 64
 * expect counters[1] = 64
 */
#include "example.bpf.h"

__u64 total = 1000;
__u64 highest_bits;
__u64 counters[2];
static __u32 unchanged = 5;

SEC("gpu/entry:*")
int globals(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);

	if (*(volatile __u32 *)&unchanged != 5)
		return 0;
	__atomic_fetch_add(&total, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&counters[thread & 1], 1, __ATOMIC_RELAXED);
	if (thread == 127)
		highest_bits = thread;
	return 0;
}
