/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* What a script does to a queue or stack. */
#include <egpu/egpu.bpf.h>

#include "operations.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 4);
	__type(value, __u64);
} elements SEC(".maps");

static __always_inline long operate(const struct operation *operation, __u64 *found)
{
	__u64 value = operation->value;

	switch (operation->kind) {
	case PUSH:
		return bpf_map_push_elem(&elements, &value, BPF_ANY);
	case PUSH_OVER:
		return bpf_map_push_elem(&elements, &value, BPF_EXIST);
	case POP:
		return bpf_map_pop_elem(&elements, found);
	case PEEK:
		return bpf_map_peek_elem(&elements, found);
	}
	return 0;
}
