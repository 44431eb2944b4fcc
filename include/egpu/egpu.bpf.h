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
#define __ksym __attribute__((section(".ksyms")))

/* Map types: the Linux numbers. */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_HASH = 5,  /* keys for all, values for each SM */
	BPF_MAP_TYPE_PERCPU_ARRAY = 6, /* one shard per SM */
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_QUEUE = 22,
	BPF_MAP_TYPE_STACK = 23,
	BPF_MAP_TYPE_RINGBUF = 27, /* max_entries: the bytes of each SM's ring */
};

/* Of bpf_perf_event_output: this SM's. */
#define BPF_F_CURRENT_CPU 0xffffffffULL

/* Flags of submit, discard and output, which need none here. */
enum {
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
};

/* What bpf_ringbuf_query() is asked. */
enum {
	BPF_RB_AVAIL_DATA = 0,
	BPF_RB_RING_SIZE = 1,
	BPF_RB_CONS_POS = 2,
	BPF_RB_PROD_POS = 3,
};

/* Flags of bpf_map_update_elem: the Linux numbers. */
enum {
	BPF_ANY = 0, /* whether the element exists or not */
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
};

/*
 * A kernel's number in this session, from 0 in the order of discovery. A key, a field of a value or
 * of a record that has this type is shown as the kernel's name.
 */
typedef __u32 egpu_kernel_id;

/*
 * Histograms by powers of two, which egpu draws. Slot 0 counts zeros, slot n the numbers of n bits:
 * slot 1 ones, slot 2 the numbers 2 and 3, slot 3 those from 4 to 7; slot 63 takes all the rest.
 */
struct egpu_log2_hist {
	__u64 slots[64];
};

/* The same in an array of 64 numbers that has this type as its key. */
typedef __u32 egpu_log2_slot;

/*
 * The type of a histogram of equal steps, which egpu draws: `count` slots of `width` numbers each,
 * from `first` on, between one for what is less and one for what is more. All three are constants.
 */
#define EGPU_LINEAR_HIST(first, width, count)                                                      \
	struct {                                                                                   \
		__u8 egpu_linear_first[0][first];                                                  \
		__u8 egpu_linear_width[0][width];                                                  \
		__u64 slots[(count) + 2];                                                          \
	}

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
	__u32 site_id;	   /* which site of the kernel fired: 0 its entry, 1 and up its exits */
	__u32 active_mask; /* lanes of this warp that come to this probe together */
	__u32 weight;	   /* of a section with ;sample=1/N: N; else 1 */
};

/* Helpers keep their Linux numbers and meaning. On the GPU: */
static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
/* flags: BPF_ANY, BPF_NOEXIST or BPF_EXIST. 0, or the error of Linux, negated. */
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value,
				   __u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
/* Of queues and stacks. flags: 0, or BPF_EXIST: where there is no room, the oldest value goes. */
static long (*bpf_map_push_elem)(void *map, const void *value, __u64 flags) = (void *)87;
/* 0, or -ENOENT where there is none: the value is zeros then. */
static long (*bpf_map_pop_elem)(void *map, void *value) = (void *)88;
static long (*bpf_map_peek_elem)(void *map, void *value) = (void *)89;
/* %globaltimer, in ns; not yet on the time line of CLOCK_MONOTONIC. */
static __u64 (*bpf_ktime_get_ns)(void) = (void *)5;
/* Good enough to sample by; no secret. */
static __u32 (*bpf_get_prandom_u32)(void) = (void *)7;
/* The SM: 0 to SMs - 1. */
static __u32 (*bpf_get_smp_processor_id)(void) = (void *)8;
/* The observed process, twice: a GPU thread is no task. */
static __u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
/* Its name, of at most 15 characters, as it was when egpu came in. */
static long (*bpf_get_current_comm)(void *buffer, __u32 size) = (void *)16;
/* flags: BPF_F_CURRENT_CPU, or the number of this SM. */
static long (*bpf_perf_event_output)(void *ctx, void *map, __u64 flags, const void *data,
				     __u64 size) = (void *)25;
/*
 * Ring buffers. A reservation gives NULL where there is no room, which is counted; what it gives is
 * submitted or discarded exactly once. Flags: 0; those that wake readers mean nothing here.
 */
static long (*bpf_ringbuf_output)(void *ringbuf, const void *data, __u64 size,
				  __u64 flags) = (void *)130;
static void *(*bpf_ringbuf_reserve)(void *ringbuf, __u64 size, __u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *record, __u64 flags) = (void *)132;
static void (*bpf_ringbuf_discard)(void *record, __u64 flags) = (void *)133;
/* Of this SM's ring, in bytes. what: BPF_RB_*. */
static __u64 (*bpf_ringbuf_query)(void *ringbuf, __u64 what) = (void *)134;
/* callback(map, &key, value, data) for each; of a PERCPU_ARRAY, this SM's values. flags: 0. */
static long (*bpf_for_each_map_elem)(void *map, void *callback, void *data,
				     __u64 flags) = (void *)164;
/*
 * callback(index, data), count times; the checker must see that count is at most 10,000, and a path
 * executes no more instructions than that. flags: 0.
 */
static long (*bpf_loop)(__u32 count, void *callback, void *data, __u64 flags) = (void *)181;
/* The sign of the first difference. constant: a string literal, or another constant text. */
static long (*bpf_strncmp)(const char *text, __u32 size, const char *constant) = (void *)182;
/* egpu run prints the line. size: of the format, with its NUL. */
static long (*bpf_trace_printk)(const char *format, __u32 size, ...) = (void *)6;

/* At most three values. */
#define bpf_printk(format, ...)                                                                    \
	({                                                                                         \
		static const char text__[] = format;                                               \
		bpf_trace_printk(text__, sizeof(text__), ##__VA_ARGS__);                           \
	})

/* Functions of egpu, called by name. */
extern __u64 egpu_clock(void) __ksym;	    /* %clock64: cycles of this SM */
extern __u64 egpu_globaltimer(void) __ksym; /* %globaltimer: ns */
extern __u64 egpu_grid_id(void) __ksym;	    /* %gridid: of the launch; repeats in graph replays */
/* The highest bit that is set, 0 to 63, in one instruction or two; of 0 it is 0 as well. */
extern __u32 egpu_log2(__u64 number) __ksym;

/* True in exactly one thread of a launch: thread (0,0,0) of block (0,0,0). */
static __always_inline int egpu_is_first_thread(const struct egpu_ctx *ctx)
{
	return (ctx->thread_idx.x | ctx->thread_idx.y | ctx->thread_idx.z | ctx->block_idx.x |
		ctx->block_idx.y | ctx->block_idx.z) == 0;
}

/* The slot of `value` in a histogram by powers of two. */
static __always_inline egpu_log2_slot egpu_log2_slot_of(__u64 value)
{
	return egpu_log2(value >> 62 ? ~0ULL : 2 * value | 1);
}

static __always_inline void egpu_log2_hist_add(struct egpu_log2_hist *hist, __u64 value)
{
	__atomic_fetch_add(&hist->slots[egpu_log2_slot_of(value)], 1, __ATOMIC_RELAXED);
}

/* hist: a pointer to a histogram of EGPU_LINEAR_HIST. value: taken as unsigned. */
#define egpu_linear_hist_add(hist, value)                                                          \
	egpu_linear_add((hist)->slots, sizeof((hist)->slots) / sizeof((hist)->slots[0]),           \
			sizeof((hist)->egpu_linear_first[0]),                                      \
			sizeof((hist)->egpu_linear_width[0]), value)

static __always_inline void egpu_linear_add(__u64 *slots, __u64 count, __u64 first, __u64 width,
					    __u64 value)
{
	__u64 slot = value < first ? 0 : (value - first) / width + 1;

	asm("" : "+r"(slot)); /* compilers must not bound the quotient in its place */
	if (slot > count - 1)
		slot = count - 1;
	__atomic_fetch_add(&slots[slot], 1, __ATOMIC_RELAXED);
}

#endif
