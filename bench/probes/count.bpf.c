/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Counts the threads of the kernels under measurement (bench/gpu), one shard per SM. */
#include <egpu/egpu.bpf.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} threads SEC(".maps");

SEC("gpu/entry:*_probed")
int count(struct egpu_ctx *ctx)
{
	__u32 zero = 0;
	__u64 *value = bpf_map_lookup_elem(&threads, &zero);

	if (value)
		__atomic_fetch_add(value, 1, __ATOMIC_RELAXED);
	return 0;
}
