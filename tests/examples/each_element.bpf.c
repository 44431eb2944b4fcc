/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/*
 * bpf_for_each_map_elem: every element of an array once, and fewer where the callback stops.
 *
 * expect results[0] = 1000000
 * expect results[9] = 10000045
 * expect results[127] = 32000496
 * expect sum results = 3600053072
 */
#include "example.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 32);
	__type(key, __u32);
	__type(value, __u32);
} elements SEC(".maps");

struct state {
	__u64 keys;
	__u64 values;
	__u32 last;
};

static int visit(void *map, __u32 *key, __u32 *value, struct state *state)
{
	state->keys += *key;
	state->values += *value;
	return *key == state->last;
}

SEC("gpu/entry:*")
int each_element(struct egpu_ctx *ctx)
{
	__u32 thread = thread_of(ctx);
	struct state state = {.last = thread};
	long visited = bpf_for_each_map_elem(&elements, visit, &state, 0);

	store_result(thread, visited * 1000000ULL + state.keys + state.values);
	return 0;
}
