/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * One lane of each warp pushes and pops at random: values that nobody else has, each with a mark
 * that says how often it went in and came out. Define MAP_TYPE.
 */
#ifndef QUEUE_BPF_H
#define QUEUE_BPF_H

#include "common.bpf.h"

#define STEPS 4
#define MOST_WARPS (1 << 13)
#define MOST_ROUNDS 16

struct {
	__uint(type, MAP_TYPE);
	__uint(max_entries, 256);
	__type(value, __u32);
} elements SEC(".maps");

struct mark {
	__u32 pushed;
	__u32 popped;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_WARPS * MOST_ROUNDS * STEPS);
	__type(key, __u32);
	__type(value, struct mark);
} marks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_WARPS);
	__type(key, __u32);
	__type(value, __u32);
} rounds SEC(".maps");

__u64 pushes;
__u64 pushed;
__u64 pops;
__u64 popped;
__u64 empty;
__u64 full;
__u64 busy;
__u64 unexpected;

struct turn {
	__u32 random;
	__u32 next_value;
	__u32 pushes_of_8;
};

static __always_inline void push(__u32 value)
{
	struct mark *mark = bpf_map_lookup_elem(&marks, &value);
	long result;

	if (!mark)
		return;
	count(&pushes, 1);
	result = bpf_map_push_elem(&elements, &value, BPF_ANY);
	if (result == 0) {
		count(&pushed, 1);
		__atomic_fetch_add(&mark->pushed, 1, __ATOMIC_RELAXED);
	} else if (result == -E2BIG) {
		count(&full, 1);
	} else if (result == -EBUSY) {
		count(&busy, 1);
	} else {
		count(&unexpected, 1);
	}
}

static __always_inline void pop(void)
{
	__u32 value = 0;
	long result = bpf_map_pop_elem(&elements, &value);
	struct mark *mark = bpf_map_lookup_elem(&marks, &value);

	count(&pops, 1);
	if (result == 0 && mark) {
		count(&popped, 1);
		__atomic_fetch_add(&mark->popped, 1, __ATOMIC_RELAXED);
	} else if (result == -ENOENT) {
		count(&empty, 1);
	} else if (result == -EBUSY) {
		count(&busy, 1);
	} else {
		count(&unexpected, 1);
	}
}

/* More pushes in even rounds, more pops in odd ones: it gets full and empty. */
static int step(__u32 index, struct turn *turn)
{
	if ((next_random(&turn->random) & 7) < turn->pushes_of_8)
		push(turn->next_value + index);
	else
		pop();
	return 0;
}

SEC("gpu/entry:work_probed")
int work(struct egpu_ctx *ctx)
{
	__u32 warp = thread_of(ctx) >> 5, *round;
	struct turn turn;

	note_block(ctx);
	if (ctx->lane_id != 0)
		return 0;
	round = bpf_map_lookup_elem(&rounds, &warp);
	if (!round || *round >= MOST_ROUNDS)
		return 0;
	turn.random = mix(warp ^ mix(*round ^ mix(seed)));
	turn.next_value = (warp * MOST_ROUNDS + *round) * STEPS;
	turn.pushes_of_8 = *round & 1 ? 2 : 6;
	*round += 1;
	bpf_loop(STEPS, step, &turn, 0);
	return 0;
}

#endif
