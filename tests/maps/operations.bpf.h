/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * Threads that do to one hash what a script says, and note what they got and when. The first
 * ACTIVE_LANES lanes of each warp have OPERATIONS operations each (tests/hash_model_test.cc).
 * Define struct key and make_key(number) before.
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
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, struct key);
	__type(value, __u64);
} elements SEC(".maps");

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

/* Of the numbers 0 to 31, those seen, and above them those seen twice. */
static int visit(void *map, struct key *key, __u64 *value, __u64 *seen)
{
	__u64 bit = 1ULL << (key->number & 31);

	(void)value;
	if (*seen & bit)
		*seen |= bit << 32;
	*seen |= bit;
	return 0;
}

static __always_inline long add(struct key *key, __u64 number, __u64 *found)
{
	__u64 *value = bpf_map_lookup_elem(&elements, key);
	long result;

	if (!value) {
		result = bpf_map_update_elem(&elements, key, &number, BPF_NOEXIST);
		if (result != -17 /* EEXIST: another thread was first */)
			return result;
		value = bpf_map_lookup_elem(&elements, key);
		if (!value)
			return -2;
	}
	__atomic_fetch_add(value, number, __ATOMIC_RELAXED);
	return 0;
}

static __always_inline long operate(const struct operation *operation, __u64 *found)
{
	struct key key = make_key(operation->key);
	__u64 new_value = operation->value;
	__u32 kind = operation->kind;
	__u64 *value;

	switch (kind) {
	case LOOK_UP:
		value = bpf_map_lookup_elem(&elements, &key);
		if (!value)
			return -2;
		*found = *value;
		return 0;
	case UPDATE:
	case UPDATE_NEW:
	case UPDATE_OLD:
		return bpf_map_update_elem(&elements, &key, &new_value, kind - UPDATE);
#ifndef NO_DELETES
	case DELETE:
		return bpf_map_delete_elem(&elements, &key);
#endif
	case ADD:
		return add(&key, new_value, found);
	case VISIT:
		return bpf_for_each_map_elem(&elements, visit, found, 0);
	}
	return 0;
}

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
