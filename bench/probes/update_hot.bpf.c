/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* All threads update 1,024 elements of 8 bytes. */
#include "bench.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} slots SEC(".maps");

SEC("gpu/entry:*_probed")
int update_hot(struct egpu_ctx *ctx)
{
	__u32 key = thread_of(ctx) & 1023;
	__u64 value = thread_of(ctx);

	bpf_map_update_elem(&slots, &key, &value, BPF_ANY);
	return 0;
}
