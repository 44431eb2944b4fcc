// expect: line 17: helper bpf_get_stackid (27) is not supported on the GPU yet
/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#include <egpu/egpu.bpf.h>

static long (*bpf_get_stackid)(void *ctx, void *map, __u64 flags) = (void *)27;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

SEC("gpu/entry:*")
int program(struct egpu_ctx *ctx)
{
	return bpf_get_stackid(ctx, &counts, 0) < 0;
}
