/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * CRC-32 of four bytes, bit by bit.
 *
 * expect results[0] = 558161692
 * expect results[1] = 2583214201
 * expect results[127] = 303591382
 * expect sum results = 274877906880
 */
#include "example.bpf.h"

static NOINLINE __u32 update(__u32 crc, __u32 byte)
{
	crc ^= byte;
	for (int bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
	return crc;
}

SEC("gpu/entry:*")
int crc32(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u32 crc = ~0U;

	for (int i = 0; i < 4; i++)
		crc = update(crc, thread >> (8 * i) & 255);
	store_result(thread, ~crc);
	return 0;
}
