/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Threads that do to one map, `elements`, what a script says, and note what they got and when. The
 * first ACTIVE_LANES lanes of each warp have OPERATIONS operations each (tests/scripted_map.h).
 */
#ifndef OPERATIONS_BPF_H
#define OPERATIONS_BPF_H

#define ACTIVE_LANES 2
#define OPERATIONS 3
#define MOST_OPERATIONS 1024

enum operation_kind {
	NOTHING,
	LOOK_UP,
	UPDATE, /* UPDATE + flags */
	UPDATE_NEW,
	UPDATE_OLD,
	DELETE,
	ADD, /* to the value; 1 where the key is new */
	VISIT,
	PUSH,
	PUSH_OVER, /* with BPF_EXIST */
	POP,
	PEEK,
};

struct operation {
	__u32 kind;
	__u32 key;
	__u64 value;
};

/* The clock ticks before and after each operation. */
struct outcome {
	__s64 result;
	__u64 value;
	__u64 begin;
	__u64 end;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_OPERATIONS);
	__type(key, __u32);
	__type(value, struct operation);
} script SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_OPERATIONS);
	__type(key, __u32);
	__type(value, struct outcome);
} outcomes SEC(".maps");

__u64 clock;

/* Defined by who includes this: the result, and what was found in `*found`. */
static __always_inline long operate(const struct operation *operation, __u64 *found);

static int step(__u32 index, __u32 *thread)
{
	__u32 number = *thread * OPERATIONS + index;
	struct operation *operation = bpf_map_lookup_elem(&script, &number);
	struct outcome *outcome = bpf_map_lookup_elem(&outcomes, &number);
	__u64 found = 0;

	if (!operation || !outcome || operation->kind == NOTHING)
		return 0;
	outcome->begin = __atomic_fetch_add(&clock, 1, __ATOMIC_SEQ_CST);
	outcome->result = operate(operation, &found);
	outcome->end = __atomic_fetch_add(&clock, 1, __ATOMIC_SEQ_CST);
	outcome->value = found;
	return 0;
}

SEC("gpu/entry:*")
int run(struct egpu_ctx *ctx)
{
	__u32 lane = ctx->thread_idx.x & 31, thread;

	if (lane >= ACTIVE_LANES)
		return 0;
	thread = (ctx->block_idx.x * (ctx->block_dim.x >> 5) + (ctx->thread_idx.x >> 5)) *
			 ACTIVE_LANES +
		 lane;
	bpf_loop(OPERATIONS, step, &thread, 0);
	return 0;
}

#endif
