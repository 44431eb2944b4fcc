/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* A program the checker must refuse: it uses a map value that may be null (scripts/gpu/verify). */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} numbers SEC(".maps");

SEC("gpu/entry:*")
int no_null_check(struct egpu_ctx *ctx)
{
	__u32 zero = 0;
	__u64 *value = bpf_map_lookup_elem(&numbers, &zero);

	__atomic_fetch_add(value, 1, __ATOMIC_RELAXED);
	return 0;
}
