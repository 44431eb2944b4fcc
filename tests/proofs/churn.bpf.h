/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * All threads add, delete and look up the same few keys, while some visit all elements. Each key's
 * additions and deletions are counted, so that what must be left is known; keys that stay are there
 * from the first launch on, and every visit must see each once. Define MAP_TYPE, and IS_SHARDED:
 * values are those of one SM.
 */
#ifndef CHURN_BPF_H
#define CHURN_BPF_H

#include "common.bpf.h"

#define STAYING 64
#define MOVING 128
#define ALL_STAYING (~0ULL)
#define STEPS 6

struct {
	__uint(type, MAP_TYPE);
	__uint(max_entries, 256);
	__type(key, struct key);
	__type(value, __u64);
} elements SEC(".maps");

struct tally {
	__u64 added;
	__u64 deleted;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STAYING + MOVING);
	__type(key, __u32);
	__type(value, struct tally);
} tallies SEC(".maps");

__u64 operations;
__u64 unexpected; /* results that the operation cannot have */
__u64 busy;
__u64 full;
__u64 visits;
__u64 moving_seen;
__u64 lost;	/* staying keys that a visit did not see */
__u64 repeated; /* and those it saw twice */

/* A value names its key. */
static __always_inline __u64 value_of(__u32 number)
{
	return (__u64)~number << 32 | number;
}

static __always_inline void add(__u32 number)
{
	struct key key = make_key(number);
	__u64 value = value_of(number);
	long result = bpf_map_update_elem(&elements, &key, &value, BPF_NOEXIST);
	struct tally *tally = bpf_map_lookup_elem(&tallies, &number);

	if (result == 0 && tally)
		count(&tally->added, 1);
	else if (result == -EBUSY)
		count(&busy, 1);
	else if (result == -E2BIG)
		count(&full, 1);
	else if (result != -EEXIST)
		count(&unexpected, 1);
}

static __always_inline void delete (__u32 number)
{
	struct key key = make_key(number);
	long result = bpf_map_delete_elem(&elements, &key);
	struct tally *tally = bpf_map_lookup_elem(&tallies, &number);

	if (result == 0 && tally)
		count(&tally->deleted, 1);
	else if (result == -EBUSY)
		count(&busy, 1);
	else if (result != -ENOENT)
		count(&unexpected, 1);
}

/* Staying keys always are there. */
static __always_inline void look_up(__u32 number)
{
	struct key key = make_key(number);
	__u64 *value = bpf_map_lookup_elem(&elements, &key);

	if (!value || (!IS_SHARDED && *value != value_of(number)))
		count(&unexpected, 1);
}

static __always_inline void replace(__u32 number)
{
	struct key key = make_key(number);
	__u64 value = value_of(number);
	long result = bpf_map_update_elem(&elements, &key, &value, BPF_EXIST);

	if (result == -EBUSY)
		count(&busy, 1);
	else if (result != 0 && result != -ENOENT)
		count(&unexpected, 1);
}

static int step(__u32 index, __u32 *random)
{
	__u32 choice = next_random(random), number = STAYING + (choice & (MOVING - 1));

	switch (choice >> 8 & 7) {
	case 0:
	case 1:
	case 2:
		add(number);
		break;
	case 3:
	case 4:
	case 5:
		delete (number);
		break;
	case 6:
		look_up(choice & (STAYING - 1));
		break;
	default:
		replace(number);
	}
	return 0;
}

struct sight {
	__u64 once;
	__u64 twice;
	__u32 moving;
};

static int see(void *map, struct key *key, __u64 *value, struct sight *sight)
{
	__u32 number = key->number;
	__u64 bit = 1ULL << (number & (STAYING - 1));

	if (number >= STAYING) {
		sight->moving++;
		return 0;
	}
	sight->twice |= sight->once & bit;
	sight->once |= bit;
	return 0;
}

static __always_inline void visit(void)
{
	struct sight sight = {};

	bpf_for_each_map_elem(&elements, see, &sight, 0);
	count(&visits, 1);
	count(&moving_seen, sight.moving);
	if (sight.once != ALL_STAYING)
		count(&lost, 1);
	if (sight.twice)
		count(&repeated, 1);
}

SEC("gpu/entry:fill_probed")
int fill(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);

	if (thread < STAYING)
		add(thread);
	return 0;
}

/* The first warp of a block visits with one lane, the others operate with four. */
SEC("gpu/entry:work_probed")
int work(struct egpu_ctx *ctx)
{
	__u32 random = mix(thread_of(ctx) ^ mix((__u32)egpu_grid_id() ^ mix(seed)));

	note_block(ctx);
	if (ctx->thread_idx.x == 0)
		visit();
	if (ctx->thread_idx.x < 32 || ctx->lane_id >= 4)
		return 0;
	count(&operations, STEPS);
	bpf_loop(STEPS, step, &random, 0);
	return 0;
}

#endif
