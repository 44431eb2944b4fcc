// expect: BPF_MAP_TYPE_LPM_TRIE is not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

#define BPF_MAP_TYPE_LPM_TRIE 11

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 4);
	__type(key, __u64);
	__type(value, __u64);
} prefixes SEC(".maps");

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	__u64 key = 0;
	__u64 *count = bpf_map_lookup_elem(&prefixes, &key);

	if (!count)
		return 0;
	__atomic_fetch_add(count, ctx->lane_id, __ATOMIC_RELAXED);
	return 0;
}
