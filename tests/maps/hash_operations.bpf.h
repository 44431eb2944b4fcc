/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What a script does to a hash. Define struct key and make_key(number) before. */
#ifndef HASH_OPERATIONS_BPF_H
#define HASH_OPERATIONS_BPF_H

#include "operations.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, struct key);
	__type(value, __u64);
} elements SEC(".maps");

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

static __always_inline long add(struct key *key, __u64 number)
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
		return add(&key, new_value);
	case VISIT:
		return bpf_for_each_map_elem(&elements, visit, found, 0);
	}
	return 0;
}

#endif
