// expect: legacy map definitions are not supported
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

struct bpf_map_def {
	__u32 type;
	__u32 key_size;
	__u32 value_size;
	__u32 max_entries;
} counts SEC("maps") = {BPF_MAP_TYPE_ARRAY, 4, 8, 4};

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	__u64 *count = bpf_map_lookup_elem(&counts, &key);

	if (!count)
		return 0;
	__atomic_fetch_add(count, ctx->lane_id, __ATOMIC_RELAXED);
	return 0;
}
