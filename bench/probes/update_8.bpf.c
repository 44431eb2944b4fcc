/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Every thread updates an element of 8 bytes of its own. */
#include "bench.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MOST_THREADS);
	__type(key, __u32);
	__type(value, __u64);
} slots SEC(".maps");

SEC("gpu/entry:*_probed")
int update_8(struct egpu_ctx *ctx)
{
	__u32 key = thread_of(ctx);
	__u64 value = thread_of(ctx);

	bpf_map_update_elem(&slots, &key, &value, BPF_ANY);
	return 0;
}
