/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* An index into a value that is bounded by comparisons, signed and unsigned. */
#include <egpu/egpu.bpf.h>

#define SLOTS 48

struct grid {
	__u32 of_column[SLOTS];
	__u64 of_offset[16];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct grid);
} grids SEC(".maps");

SEC("gpu/entry:*")
int columns(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	__u32 column = ctx->block_idx.x;
	__s32 offset = (__s32)ctx->thread_idx.x - 100;
	struct grid *grid = bpf_map_lookup_elem(&grids, &key);

	if (!grid)
		return 0;
	if (column < SLOTS)
		__atomic_fetch_add(&grid->of_column[column], 1, __ATOMIC_RELAXED);
	/* Else clang checks a copy of the index with another start, which no checker can follow. */
	asm volatile("" : "+r"(offset));
	if (offset >= 0 && offset <= 15)
		__atomic_fetch_add(&grid->of_offset[offset], 1, __ATOMIC_RELAXED);
	return 0;
}
