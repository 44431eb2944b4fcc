/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
/* Functions that egpu provides by name, and static maps. */
#include <egpu/egpu.bpf.h>

extern __u32 egpu_first(__u32 number) __ksym;
extern __u64 egpu_second(void) __ksym;

static struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} before SEC(".maps");

static struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} after SEC(".maps");

SEC("gpu/entry:*")
int externs(struct egpu_ctx *ctx)
{
	__u32 key = 0;
	__u64 *value = bpf_map_lookup_elem(&after, &key);

	if (value)
		*value = egpu_first(ctx->lane_id) + egpu_second();
	value = bpf_map_lookup_elem(&before, &key);
	if (value)
		*value = egpu_first(ctx->warp_id);
	return 0;
}
