/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * A product of matrices, kept in the value of a map.
 *
 * expect results[0] = 62
 * expect results[15] = 560
 * expect results[30] = 506
 * expect sum results = 35200
 */
#include "example.bpf.h"

static const __u32 left[4][4] = {
	{0, 1, 2, 3},
	{4, 5, 6, 7},
	{8, 9, 10, 11},
	{12, 13, 14, 15},
};

struct product {
	__u32 cell[4][4];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct product);
} products SEC(".maps");

SEC("gpu/entry:*")
int matrix(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	__u32 zero = 0;
	__u32 row = thread >> 2 & 3;
	__u32 column = thread & 3;
	__u32 sum = 0;
	struct product *product;

	for (__u32 i = 0; i < 4; i++)
		sum += left[row][i] * (4 * i + column + 1) * 2;
	product = bpf_map_lookup_elem(&products, &zero);
	if (!product)
		return 0;
	product->cell[row][column] = sum / 2;
	store_result(thread, product->cell[row][column]);
	return 0;
}
