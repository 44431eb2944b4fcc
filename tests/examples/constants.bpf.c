/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Read-only data: settings, a table with a computed index, a table of structs.
 *
 * expect results[0] = 7002
 * expect results[5] = 7013
 * expect results[17] = 9103
 * expect sum results = 2423403
 */
#include "example.bpf.h"

const volatile __u64 base = 7000;
const volatile _Bool doubled = 0;

static const __u32 primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};

struct step {
	__u16 from;
	__u16 add;
	__u32 factor;
};
static const struct step steps[4] = {{0, 0, 1}, {16, 100, 1}, {64, 7, 3}, {100, 1, 2}};

SEC("gpu/entry:*")
int constants(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u64 result = base + primes[thread & 15];

	for (int i = 0; i < 4; i++) {
		if (thread >= steps[i].from)
			result = result * steps[i].factor + steps[i].add;
	}
	if (thread == 17)
		result += 2000;
	if (doubled)
		result *= 2;
	store_result(thread, result);
	return 0;
}
