/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Random operations on keys that one thread owns, beside those of all other threads. What each
 * gives is compared at once with a model of the thread's own keys, and the models stay in a map, to
 * be compared with what the host reads. Define struct key, make_key(number), MAP_TYPE; IS_ARRAY:
 * elements are always there; FORGETS: values are those of one SM, so that they begin anew with each
 * launch.
 */
#ifndef OWNED_BPF_H
#define OWNED_BPF_H

#include "common.bpf.h"

#define KEYS 4
#define STEPS 16
#define OWNERS_OF_WARP 8
#define MOST_OWNERS (1 << 16)

struct model {
	__u32 round;
	__u32 present; /* a bit for each key */
	__u64 values[KEYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_OWNERS);
	__type(key, __u32);
	__type(value, struct model);
} models SEC(".maps");

struct {
	__uint(type, MAP_TYPE);
	__uint(max_entries, MOST_OWNERS *KEYS);
	__type(key, struct key);
	__type(value, __u64);
} elements SEC(".maps");

__u64 operations;
__u64 contradictions; /* with the model */
__u64 busy;

/* A thread's turn, on its stack. */
struct turn {
	__u32 owner;
	__u32 random;
	__u32 present;
	__u32 contradictions;
	__u32 busy;
	__u32 operations;
	__u64 values[KEYS];
};

static __always_inline void expect(struct turn *turn, long result, long expected)
{
	if (result != expected)
		turn->contradictions++;
}

/* What the model says of an update. */
static __always_inline long result_of(int present, __u64 flags)
{
	if (flags == BPF_NOEXIST && present)
		return -EEXIST;
	if (flags == BPF_EXIST && !present)
		return -ENOENT;
	return 0;
}

static __always_inline void update(struct turn *turn, struct key *key, __u32 own, __u64 value,
				   __u64 flags)
{
	int present = turn->present >> own & 1;
	long result = bpf_map_update_elem(&elements, key, &value, flags);

	if (result == -EBUSY) {
		turn->busy++;
		return;
	}
	expect(turn, result, result_of(present, flags));
	if (result != 0)
		return;
	turn->present |= 1 << own;
	turn->values[own] = value;
}

static __always_inline void delete (struct turn *turn, struct key *key, __u32 own)
{
	long expected = turn->present >> own & 1 ? 0 : -ENOENT;
	long result = bpf_map_delete_elem(&elements, key);

	if (result == -EBUSY) {
		turn->busy++;
		return;
	}
	expect(turn, result, IS_ARRAY ? -EINVAL : expected);
	if (result == 0)
		turn->present &= ~(1 << own);
}

static __always_inline void look_up(struct turn *turn, struct key *key, __u32 own)
{
	int present = turn->present >> own & 1;
	__u64 *value = bpf_map_lookup_elem(&elements, key);

	expect(turn, value != 0, present);
	if (value && present)
		expect(turn, *value == turn->values[own], 1);
}

static __always_inline void fetch_add(struct turn *turn, struct key *key, __u32 own, __u64 number)
{
	int present = turn->present >> own & 1;
	__u64 *value = bpf_map_lookup_elem(&elements, key);

	expect(turn, value != 0, present);
	if (!value || !present)
		return;
	expect(turn, __atomic_fetch_add(value, number, __ATOMIC_SEQ_CST) == turn->values[own], 1);
	turn->values[own] += number;
}

static int step(__u32 index, struct turn *turn)
{
	__u32 choice = next_random(&turn->random), own = choice & (KEYS - 1);
	struct key key = make_key(turn->owner * KEYS + own);
	__u64 number = (__u64)choice << 20 | index;

	turn->operations++;
	switch (choice >> 8 & 7) {
	case 0:
	case 1:
		look_up(turn, &key, own);
		break;
	case 2:
	case 3:
		update(turn, &key, own, number, choice >> 16 & 1 ? BPF_ANY : BPF_EXIST);
		break;
	case 4:
		update(turn, &key, own, number, BPF_NOEXIST);
		break;
	case 5:
		delete (turn, &key, own);
		break;
	default:
		fetch_add(turn, &key, own, number);
	}
	return 0;
}

/* 0: the thread's keys cannot be forgotten, for they were busy. */
static __always_inline int begin(struct turn *turn)
{
	__u32 own;

	if (!FORGETS)
		return 1;
	for (own = 0; own < KEYS; ++own) {
		struct key key = make_key(turn->owner * KEYS + own);

		turn->operations++;
		if (IS_ARRAY)
			update(turn, &key, own, 0, BPF_ANY);
		else
			delete (turn, &key, own);
		if (!IS_ARRAY && turn->present >> own & 1)
			return 0;
	}
	return 1;
}

SEC("gpu/entry:work_probed")
int operate(struct egpu_ctx *ctx)
{
	__u32 lane = ctx->lane_id, own;
	__u32 owner = (thread_of(ctx) >> 5) * OWNERS_OF_WARP + lane;
	struct turn turn = {.owner = owner};
	struct model *model;

	note_block(ctx);
	if (lane >= OWNERS_OF_WARP)
		return 0;
	model = bpf_map_lookup_elem(&models, &owner);
	if (!model)
		return 0;
	turn.random = mix(owner ^ mix(model->round ^ mix(seed)));
	turn.present = model->present;
	if (IS_ARRAY)
		turn.present = (1 << KEYS) - 1;
	for (own = 0; own < KEYS; ++own)
		turn.values[own] = model->values[own];
	if (begin(&turn))
		bpf_loop(STEPS, step, &turn, 0);
	for (own = 0; own < KEYS; ++own)
		model->values[own] = turn.values[own];
	model->present = turn.present;
	model->round++;
	count(&operations, turn.operations);
	count(&contradictions, turn.contradictions);
	count(&busy, turn.busy);
	return 0;
}

#endif
