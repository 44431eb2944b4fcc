/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A function so large, and called so often, that it stays one in the GPU's code; it works on its
 * caller's stack.
 *
 * expect results[0] = 5165774124836077393
 * expect results[127] = 12730549170016474208
 * expect sum results = 6205727336867377188
 */
#include "example.bpf.h"

#define STIR(number) number = (number ^ number >> 13) * 0x9e3779b97f4a7c15ULL + (number << 3 & 255);
#define STIR_4(number) STIR(number) STIR(number) STIR(number) STIR(number)
#define STIR_16(number) STIR_4(number) STIR_4(number) STIR_4(number) STIR_4(number)
#define STIR_64(number) STIR_16(number) STIR_16(number) STIR_16(number) STIR_16(number)

struct pair {
	__u64 low;
	__u64 high;
};

static NOINLINE __u64 stir(struct pair *pair, __u64 by)
{
	__u64 number = pair->low + by;

	STIR_64(number)
	STIR_64(number)
	STIR_64(number)
	pair->high ^= number;
	return number;
}

SEC("gpu/entry:*")
int kept_calls(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	struct pair pair = {.low = thread, .high = 1};

	pair.low += stir(&pair, 1);
	pair.low ^= stir(&pair, pair.high);
	pair.low += stir(&pair, 3);
	pair.low ^= stir(&pair, pair.high);
	pair.low += stir(&pair, 5);
	store_result(thread, pair.low ^ pair.high);
	return 0;
}
