/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * What an eBPF program for the GPU includes. Compile with
 *   clang -target bpf -mcpu=v3 -O2 -g -I include -c probe.bpf.c -o probe.bpf.o
 * It needs no kernel headers and no libbpf.
 */
#ifndef EGPU_BPF_H
#define EGPU_BPF_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;

#define SEC(name) __attribute__((section(name), used))
#define __uint(name, val) int (*name)[val]
#define __type(name, val) typeof(val) *name
#define __always_inline inline __attribute__((always_inline))

/* Map types (the Linux numbers) and update flags. */
enum bpf_map_type {
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6, /* one shard per SM */
};

/*
 * A kernel's number in this session, from 0 in the order of discovery. Give a map this type as its
 * key and egpu prints the kernel's name in its place.
 */
typedef __u32 egpu_kernel_id;

struct egpu_dim3 {
	__u32 x;
	__u32 y;
	__u32 z;
};

/*
 * What a gpu/ program gets in r1. Reads at constant offsets become special registers or constants;
 * a field that is not read costs nothing. Read only; fields are 4 bytes wide and read as 4 bytes.
 */
struct egpu_ctx {
	struct egpu_dim3 thread_idx; /* position in the block */
	struct egpu_dim3 block_idx;  /* position in the grid */
	struct egpu_dim3 block_dim;  /* threads in a block, at least 1 each */
	struct egpu_dim3 grid_dim;   /* blocks in the grid, at least 1 each */
	__u32 lane_id;		     /* 0 to 31 */
	__u32 warp_id;		     /* %warpid: the slot on the SM, may change when a warp moves */
	__u32 sm_id;		     /* 0 to SMs - 1 */
	egpu_kernel_id kernel_id;
	__u32 site_id;	   /* which probe site of the kernel fired; 0 for entry */
	__u32 active_mask; /* lanes of this warp that run this probe together */
};

/* Helpers keep their Linux numbers and meaning. */
static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;

/* True in exactly one thread of a launch: thread (0,0,0) of block (0,0,0). */
static __always_inline int egpu_is_first_thread(const struct egpu_ctx *ctx)
{
	return (ctx->thread_idx.x | ctx->thread_idx.y | ctx->thread_idx.z | ctx->block_idx.x |
		ctx->block_idx.y | ctx->block_idx.z) == 0;
}

#endif
