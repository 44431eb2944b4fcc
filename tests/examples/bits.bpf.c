/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Bits: population counts, byte swaps, rotations, numbers narrower than a register and signed.
 *
 * expect results[0] = 2147483649
 * expect results[1] = 72339069035809064
 * expect results[127] = 9259682305633515486
 * expect sum results = 17720538725396669001
 */
#include "example.bpf.h"

static __always_inline __u32 rotate(__u32 value, __u32 by)
{
	return value << (by & 31) | value >> (-by & 31);
}

SEC("gpu/entry:*")
int bits(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__s8 narrow = (__s8)(thread * 3);
	__s16 wider = (__s16)(thread * 777);
	__u64 result = __builtin_popcountll(thread * 0x0123456789abcdefULL);

	result += __builtin_bswap32(thread);
	result ^= __builtin_bswap64(thread * 257ULL);
	result += rotate(0x80000001 + thread, thread);
	result += (__s64)narrow;
	result ^= (__u64)(__s64)wider << 8;
	result += (__s64)(__s32)(thread << 25) >> 3;
	store_result(thread, result);
	return 0;
}
